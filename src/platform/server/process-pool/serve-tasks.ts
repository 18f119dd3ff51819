import { readdirSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { setPriority } from 'node:os'
import { AppError } from '#platform/errors.ts'
import type { Request, Response } from './messages.ts'

export type Report = (progress: unknown) => void

/** The child's side of a process pool: one task at a time, errors travel back with their code. */
export function serveTasks<Task, Result>(handler: (task: Task, report: Report) => Promise<Result>) {
  giveWay(Number(process.argv[2]))
  // To a server that was killed nothing can be said; without somebody who hears of that, it would be told as a fault.
  const answer = (response: Response) => process.send?.(response, undefined, undefined, () => {})
  process.on('message', async ({ task }: Request) => {
    try {
      const value = await handler(task as Task, (progress) => answer({ type: 'progress', value: progress }))
      answer({ type: 'done', value })
    } catch (error) {
      if (error instanceof AppError) {
        const { message, code, status, details } = error
        return answer({ type: 'refused', message, code, status, details })
      }
      answer({ type: 'failed', message: error instanceof Error ? error.message : String(error) })
    } finally {
      // A child is ended without a word; what it has compiled is kept for the next one while there is time.
      flushCompileCache()
    }
  })
  answer({ type: 'ready' })
  // The parent is gone: nobody waits for the answer any more.
  process.on('disconnect', () => process.exit(0))
}

/**
 * From here on, and not before: where everybody is busy, loading the program with so small a share would take longer than a task
 * may. Linux keeps a priority for each thread, of which later ones take that of the first.
 */
function giveWay(niceness: number) {
  try {
    for (const thread of ownThreads()) setPriority(thread, niceness)
  } catch {
    // A container may forbid it; the work is only less polite then.
  }
}

/** The first one leads. Elsewhere than on Linux a priority is that of the whole process. */
export function ownThreads() {
  return process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [process.pid]
}
