import { AppError } from '#platform/errors.ts'
import type { Request, Response } from './messages.ts'

export type Report = (progress: unknown) => void

/** The child's side of a process pool: one task at a time, errors travel back with their code. */
export function serveTasks<Task, Result>(handler: (task: Task, report: Report) => Promise<Result>) {
  const answer = (response: Response) => process.send?.(response)
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
    }
  })
  // The parent is gone: nobody waits for the answer any more.
  process.on('disconnect', () => process.exit(0))
}
