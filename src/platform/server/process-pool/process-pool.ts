import { type ChildProcess, fork } from 'node:child_process'
import { AppError, stopping, unavailable, withCause } from '#platform/errors.ts'
import { compiledCodeEnvironment } from '../compiled-code.ts'
import { endFirst } from './end-first.ts'
import type { Request, Response } from './messages.ts'

/**
 * [Note: Decoders live in child processes]
 * Whatever reads foreign bytes (image and video decoders, models) runs in a child: a hang is ended by the clock,
 * a crash costs one task, and the server's own thread pool stays free for files and passwords.
 */
type ProcessPool<Task, Result> = {
  run(
    task: Task,
    options?: { timeoutMs?: number; signal?: AbortSignal; onProgress?: (value: unknown) => void },
  ): Promise<Result>
  close(): Promise<void>
}

/** What goes on for longer than this tells its progress meanwhile, since a child that says nothing for so long has hung. */
export const longestSilenceMs = 110_000

export type ProcessPoolOptions = {
  /** The module that the children run; it calls `serveTasks`. */
  entry: URL
  size: number
  /** A task that takes longer is ended together with its child. */
  timeoutMs: number
  /** A child without work for this long goes away and gives its memory back. */
  idleMs?: number
  /** How much it gives way to others once it works. */
  niceness?: number
  env?: Record<string, string>
}

/** What the child did not expect: no sentence for a person, and perhaps with paths in it, so it is no AppError. */
export class TaskFault extends Error {
  override name = 'TaskFault'
}

/** What a decoder's child may know of the server's environment: none of its keys, passwords or addresses. */
const inheritedVariables = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'LANG', 'LD_LIBRARY_PATH']

type Job = {
  task: unknown
  timeoutMs: number
  onProgress?: (value: unknown) => void
  resolve(value: unknown): void
  reject(error: unknown): void
}

type Worker = {
  child: ChildProcess
  isReady?: boolean
  job?: Job
  deadline?: NodeJS.Timeout
  silence?: NodeJS.Timeout
  idle?: NodeJS.Timeout
}

export function createProcessPool<Task, Result>(options: ProcessPoolOptions): ProcessPool<Task, Result> {
  const { entry, size, timeoutMs, idleMs = 60_000, niceness = 10, env } = options
  const workers = new Set<Worker>()
  const waiting: Job[] = []
  let isClosed = false

  function startWorker(): Worker {
    const child = fork(entry, [String(niceness)], {
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { ...inheritedEnvironment(), ...compiledCodeEnvironment(), ...env },
    })
    endFirst(child.pid)
    const worker: Worker = { child }
    workers.add(worker)
    child.on('message', (message) => receive(worker, message as Response))
    child.on('error', (error) => retire(worker, child.pid ? error : notBegun(error)))
    child.on('exit', (code, signal) => {
      // Those that the pool ends itself have no job any more that could hear of it.
      const died = signal === 'SIGKILL' ? endedBySystem() : workerDied(signal ?? `exit ${code}`)
      if (worker.isReady) return retire(worker, died)
      // What it has said before its end may still be on the way here.
      child.once('close', () => retire(worker, worker.isReady ? died : notBegun(died)))
    })
    return worker
  }

  function receive(worker: Worker, message: Response) {
    if (message.type === 'ready') {
      worker.isReady = true
      return
    }
    const { job } = worker
    if (!job) return
    if (message.type === 'progress') {
      watchSilence(worker)
      return job.onProgress?.(message.value)
    }
    finish(worker)
    if (message.type === 'done') job.resolve(message.value)
    else if (message.type === 'refused')
      job.reject(new AppError(message.code, message.status, message.message, message.details))
    else job.reject(new TaskFault(message.message))
    dispatch()
  }

  function finish(worker: Worker) {
    stopClocks(worker)
    worker.job = undefined
    worker.child.unref()
    worker.child.channel?.unref()
    worker.idle = setTimeout(() => worker.child.kill('SIGKILL'), idleMs).unref()
  }

  function retire(worker: Worker, error: unknown) {
    if (!workers.delete(worker)) return
    stopClocks(worker)
    clearTimeout(worker.idle)
    worker.job?.reject(error)
    dispatch()
  }

  function end(worker: Worker, error: unknown) {
    stopClocks(worker)
    worker.job?.reject(error)
    worker.job = undefined
    worker.child.kill('SIGKILL')
  }

  function watchSilence(worker: Worker) {
    clearTimeout(worker.silence)
    worker.silence = setTimeout(() => end(worker, stoodStill()), longestSilenceMs)
  }

  function dispatch() {
    while (waiting.length > 0 && !isClosed) {
      const worker = [...workers].find(
        (candidate) => !candidate.job && candidate.child.connected && !candidate.child.killed,
      )
      if (!worker && workers.size >= size) return
      const job = waiting.shift()!
      try {
        assign(worker ?? startWorker(), job)
      } catch (error) {
        job.reject(notBegun(error))
      }
    }
  }

  function assign(worker: Worker, job: Job) {
    clearTimeout(worker.idle)
    worker.job = job
    worker.child.ref()
    worker.child.channel?.ref()
    worker.deadline = setTimeout(() => end(worker, tookTooLong(job.timeoutMs)), job.timeoutMs)
    watchSilence(worker)
    try {
      worker.child.send(
        { task: job.task } satisfies Request,
        (error) => error && worker.job === job && end(worker, error),
      )
    } catch (error) {
      // The task cannot be put into a message; the child never heard of it and stays good for the next one.
      finish(worker)
      job.reject(error)
    }
  }

  function abandon(job: Job, reason: unknown) {
    const index = waiting.indexOf(job)
    if (index >= 0) waiting.splice(index, 1)
    const worker = [...workers].find((candidate) => candidate.job === job)
    if (worker) end(worker, reason)
    else job.reject(reason)
  }

  return {
    run(task, { timeoutMs: ownTimeoutMs = timeoutMs, signal, onProgress } = {}) {
      if (isClosed) return Promise.reject(stopping())
      if (signal?.aborted) return Promise.reject(signal.reason)
      const { promise, resolve, reject } = Promise.withResolvers<Result>()
      const job: Job = {
        task,
        timeoutMs: ownTimeoutMs,
        onProgress,
        resolve: (value) => resolve(value as Result),
        reject,
      }
      waiting.push(job)
      dispatch()
      if (!signal) return promise
      const onAbort = () => abandon(job, signal.reason)
      signal.addEventListener('abort', onAbort, { once: true })
      return promise.finally(() => signal.removeEventListener('abort', onAbort))
    },
    async close() {
      isClosed = true
      for (const job of waiting.splice(0)) job.reject(stopping())
      const ended = [...workers].map(
        ({ child }) =>
          new Promise<void>((resolve) => child.once('exit', () => resolve()).once('error', () => resolve())),
      )
      for (const worker of workers) {
        worker.child.ref()
        end(worker, stopping())
      }
      await Promise.all(ended)
    },
  }
}

const workerDied = (how: string) => new AppError('worker-died', 500, `The worker process ended (${how})`)

/** A signal that no program sends to itself: memory ran out, most likely, which says nothing of what the child worked on. */
export const endedBySystem = () =>
  unavailable('The system stopped this work, most likely because memory ran out. Please try again in a moment.', 30)

/** For memory ran out, or of processes that the system allows: no fault of what the child was to work on. */
const notBegun = (cause: unknown) =>
  withCause(unavailable('The server could not start a process for this. Please try again in a moment.', 30), cause)

const tookTooLong = (timeoutMs: number) =>
  new AppError('timeout', 500, `The work took longer than ${timeoutMs / 1000} s and was stopped`)

const stoodStill = () =>
  new AppError('timeout', 500, `The work made no progress for ${longestSilenceMs / 1000} s and was stopped`)

function stopClocks({ deadline, silence }: Worker) {
  clearTimeout(deadline)
  clearTimeout(silence)
}

function inheritedEnvironment() {
  return Object.fromEntries(
    inheritedVariables.flatMap((name) => (name in process.env ? [[name, process.env[name]]] : [])),
  )
}
