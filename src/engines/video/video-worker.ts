import { withCause } from '#platform/errors.ts'
import { serveTasks } from '#platform/server/process-pool/serve-tasks.ts'
import { type VideoTask, videoUnavailable } from './video-tasks.ts'

/** See [Note: Decoders live in child processes]. node-av is loaded here and nowhere else. */
serveTasks<VideoTask, unknown>(async (task, report) => {
  await loadDecoder()
  const { handleTask } = await import('./node-av/handle-task.ts')
  return handleTask(task, report)
})

/** node-av is an optional dependency, because some systems have no build of it. */
async function loadDecoder() {
  try {
    await import('node-av/lib')
  } catch (error) {
    throw withCause(videoUnavailable(), error)
  }
}
