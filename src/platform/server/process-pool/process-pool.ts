import { type ChildProcess, fork } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { AppError, stopping, unavailable, withCause } from '#platform/errors.ts'
import { codeCacheEnvironment } from '../compile-cache.ts'
import type { Request, Response } from './serve-tasks.ts'

/**
 * [Note: Decoders live in child processes]
 * All code that parses untrusted bytes (image and video decoders, models) runs in a child process: a timeout ends a hang, a
 * crash costs one task, and the server's own thread pool stays free for files and passwords.
 */
type ProcessPool<Task, Result> = {
  run(
    task: Task,
    options?: { timeoutMs?: number; signal?: AbortSignal; onProgress?: (value: unknown) => void },
  ): Promise<Result>
  close(): Promise<void>
}

/** A child that sends nothing for this long counts as hung, so longer tasks report progress meanwhile. */
export const maxSilenceMs = 110_000

export type ProcessPoolOptions = {
  /** The module that the child processes run; it calls `serveTasks`. */
  entry: URL
  size: number
  /** A task that takes longer is ended by killing its child. */
  timeoutMs: number
  /** A child that is idle for this long is ended to free its memory. */
  idleMs?: number
  /** The child's niceness while it works. */
  niceness?: number
  env?: Record<string, string>
}

/** An unexpected error in the child. It is no AppError, since its message is not for users and may contain paths. */
export class UnexpectedTaskError extends Error {
  override name = 'UnexpectedTaskError'
}

/** The variables that a child inherits; the server's keys, passwords and addresses are not among them. */
const inheritedVariables = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'LANG', 'LD_LIBRARY_PATH']

const stopSignals: NodeJS.Signals[] = ['SIGTERM', 'SIGINT']

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
  const queue: Job[] = []
  let isClosed = false

  function startWorker(): Worker {
    const child = fork(entry, [String(niceness)], {
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { ...inheritedEnvironment(), ...codeCacheEnvironment(), ...env },
    })
    preferForOomKiller(child.pid)
    const worker: Worker = { child }
    workers.add(worker)
    child.on('message', (message) => receive(worker, message as Response))
    child.on('error', (error) => retire(worker, child.pid ? error : couldNotStart(error)))
    child.on('exit', (code, signal) => {
      // A child that the pool itself killed has no job left, so nothing is rejected with this error.
      const error = signal === 'SIGKILL' ? killedBySystem() : workerDied(signal ?? `exit ${code}`)
      if (worker.isReady) return retire(worker, error)
      // Messages that the child sent before it ended may still arrive.
      child.once('close', () => {
        if (!worker.isReady && signal && stopSignals.includes(signal)) requeue(worker)
        retire(worker, worker.isReady ? error : couldNotStart(error))
      })
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
      restartSilenceTimer(worker)
      return job.onProgress?.(message.value)
    }
    finish(worker)
    if (message.type === 'done') job.resolve(message.value)
    else if (message.type === 'refused')
      job.reject(new AppError(message.code, message.status, message.message, message.details))
    else job.reject(new UnexpectedTaskError(message.message))
    dispatch()
  }

  function finish(worker: Worker) {
    clearTimers(worker)
    worker.job = undefined
    worker.child.unref()
    worker.child.channel?.unref()
    worker.idle = setTimeout(() => worker.child.kill('SIGKILL'), idleMs).unref()
  }

  function retire(worker: Worker, error: unknown) {
    if (!workers.delete(worker)) return
    clearTimers(worker)
    clearTimeout(worker.idle)
    worker.job?.reject(error)
    dispatch()
  }

  /** A child ignores the signal that stops the server only once it has loaded; one that ended before has done nothing yet. */
  function requeue(worker: Worker) {
    if (worker.job) queue.unshift(worker.job)
    worker.job = undefined
  }

  function end(worker: Worker, error: unknown) {
    clearTimers(worker)
    worker.job?.reject(error)
    worker.job = undefined
    worker.child.kill('SIGKILL')
  }

  function restartSilenceTimer(worker: Worker) {
    clearTimeout(worker.silence)
    worker.silence = setTimeout(() => end(worker, hung()), maxSilenceMs)
  }

  function dispatch() {
    while (queue.length > 0 && !isClosed) {
      const worker = [...workers].find(
        (candidate) => !candidate.job && candidate.child.connected && !candidate.child.killed,
      )
      if (!worker && workers.size >= size) return
      const job = queue.shift()!
      try {
        assign(worker ?? startWorker(), job)
      } catch (error) {
        job.reject(couldNotStart(error))
      }
    }
  }

  function assign(worker: Worker, job: Job) {
    clearTimeout(worker.idle)
    worker.job = job
    worker.child.ref()
    worker.child.channel?.ref()
    worker.deadline = setTimeout(() => end(worker, timedOut(job.timeoutMs)), job.timeoutMs)
    restartSilenceTimer(worker)
    try {
      worker.child.send(
        { task: job.task } satisfies Request,
        (error) => error && worker.job === job && end(worker, error),
      )
    } catch (error) {
      // The task could not be serialized; the child has not received it and can take the next one.
      finish(worker)
      job.reject(error)
    }
  }

  function abandon(job: Job, reason: unknown) {
    const index = queue.indexOf(job)
    if (index >= 0) queue.splice(index, 1)
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
      queue.push(job)
      dispatch()
      if (!signal) return promise
      const onAbort = () => abandon(job, signal.reason)
      signal.addEventListener('abort', onAbort, { once: true })
      return promise.finally(() => signal.removeEventListener('abort', onAbort))
    },
    async close() {
      isClosed = true
      for (const job of queue.splice(0)) job.reject(stopping())
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

/** For SIGKILL, which most likely means that memory ran out and not that the task is at fault. */
export const killedBySystem = () =>
  unavailable('The system stopped this work, most likely because memory ran out. Please try again in a moment.', 30)

/** When memory or the system's limit of processes does not allow another child; the task is not at fault. */
const couldNotStart = (cause: unknown) =>
  withCause(unavailable('The server could not start a process for this. Please try again in a moment.', 30), cause)

const timedOut = (timeoutMs: number) =>
  new AppError('timeout', 500, `The work took longer than ${timeoutMs / 1000} s and was stopped`)

const hung = () =>
  new AppError('timeout', 500, `The work made no progress for ${maxSilenceMs / 1000} s and was stopped`)

function clearTimers({ deadline, silence }: Worker) {
  clearTimeout(deadline)
  clearTimeout(silence)
}

function inheritedEnvironment() {
  return Object.fromEntries(
    inheritedVariables.flatMap((name) => (name in process.env ? [[name, process.env[name]]] : [])),
  )
}

/**
 * When memory runs out, Linux kills the process that uses the most, which is often the server. This raises the score of a
 * child, and of the processes that it starts, so the kill costs one task instead.
 */
function preferForOomKiller(pid: number | undefined) {
  if (!pid) return
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, '500')
  } catch {
    // The child may have ended already, or the system is not Linux.
  }
}
