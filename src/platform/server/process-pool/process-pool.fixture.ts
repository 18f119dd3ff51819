import { existsSync } from 'node:fs'
import { getPriority } from 'node:os'
import { AppError } from '#platform/errors.ts'
import { ownThreads, serveTasks } from './serve-tasks.ts'

/** What the pool's tests ask of a child. */
export type FixtureTask =
  | { do: 'echo'; value: unknown }
  | { do: 'pid' }
  | { do: 'count'; to: number }
  | { do: 'refuse' }
  | { do: 'throw' }
  | { do: 'crash' }
  | { do: 'hang' }
  | { do: 'spin' }
  | { do: 'beat' }
  | { do: 'outlive'; untilThere: string }
  | { do: 'read-variable'; name: string }
  | { do: 'read-priorities' }

const nicenessAtStart = getPriority()

serveTasks<FixtureTask, unknown>(async (task, report) => {
  switch (task.do) {
    case 'echo':
      return task.value
    case 'pid':
      return process.pid
    case 'count':
      for (let step = 1; step <= task.to; step++) report(step)
      return task.to
    case 'refuse':
      throw new AppError('too-round', 415, 'The picture is too round', { corners: 0 })
    case 'throw':
      throw new TypeError('Something odd happened')
    case 'crash':
      process.kill(process.pid, 'SIGSEGV')
      return new Promise(() => {})
    case 'hang':
      report(process.pid)
      return new Promise(() => {})
    case 'beat':
      process.on('SIGUSR2', () => report(process.pid))
      report(process.pid)
      return new Promise(() => {})
    case 'spin':
      report(process.pid)
      for (;;);
    case 'outlive':
      report(process.pid)
      while (!existsSync(task.untilThere));
      return process.pid
    case 'read-variable':
      return process.env[task.name]
    case 'read-priorities':
      return { atStart: nicenessAtStart, now: ownThreads().map((thread) => getPriority(thread)) }
  }
})
