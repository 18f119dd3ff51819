import { readdirSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { setPriority } from 'node:os'
import { AppError } from '#platform/errors.ts'

/** Messages between the server and its child processes. */
export type Request = { task: unknown }

export type Response =
  /** The child has loaded and can take its first task. */
  | { type: 'ready' }
  | { type: 'progress'; value: unknown }
  | { type: 'done'; value: unknown }
  | { type: 'refused'; message: string; code: string; status: number; details: Record<string, unknown> }
  /** An unexpected error in the child. */
  | { type: 'failed'; message: string }

export type Report = (progress: unknown) => void

/** The child's side of a process pool: handles one task at a time and sends errors back with their code. */
export function serveTasks<Task, Result>(handler: (task: Task, report: Report) => Promise<Result>) {
  // The signal of a terminal or of systemd reaches every process. The server still waits for the results of its requests and
  // closes the channel when it ends.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => {})
  lowerPriority(Number(process.argv[2]))
  // The empty callback ignores the error of sending to a server that was killed.
  const send = (response: Response) => process.send?.(response, undefined, undefined, () => {})
  process.on('message', async ({ task }: Request) => {
    try {
      const value = await handler(task as Task, (progress) => send({ type: 'progress', value: progress }))
      send({ type: 'done', value })
    } catch (error) {
      if (error instanceof AppError) {
        const { message, code, status, details } = error
        return send({ type: 'refused', message, code, status, details })
      }
      send({ type: 'failed', message: error instanceof Error ? error.message : String(error) })
    } finally {
      // Children are ended by SIGKILL, so the compile cache is written after each task.
      flushCompileCache()
    }
  })
  send({ type: 'ready' })
  // The parent has ended, so no result is needed.
  process.on('disconnect', () => process.exit(0))
}

/**
 * Lowers the priority only after loading, which at low priority could take longer than the task's timeout on a busy
 * machine. On Linux each thread has its own priority, and new threads inherit it from the main thread.
 */
function lowerPriority(niceness: number) {
  try {
    for (const thread of ownThreads()) setPriority(thread, niceness)
  } catch {
    // A container may forbid it; the task then runs at normal priority.
  }
}

/** The ids of this process's threads; on other systems than Linux a priority belongs to the whole process. */
export function ownThreads() {
  return process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [process.pid]
}
