import { AV_LOG_QUIET } from 'node-av/constants'
import { FFmpegError, Log } from 'node-av/lib'
import { storageFull } from '#platform/errors.ts'
import { corruptVideo, type VideoTask } from '../video-tasks.ts'
import { convert } from './convert.ts'
import { extractSceneFrames, inspect, makeSprite } from './still-images.ts'

// FFmpeg logs each damaged block of a file; the response to the task says what matters.
Log.setLevel(AV_LOG_QUIET)

export async function handleTask(task: VideoTask, report: (progress: number) => void): Promise<unknown> {
  try {
    return await runTask(task, report)
  } catch (error) {
    throw toAppError(error)
  }
}

function runTask(task: VideoTask, report: (progress: number) => void): Promise<unknown> {
  switch (task.kind) {
    case 'inspect':
      return inspect(task)
    case 'sprite':
      return makeSprite(task)
    case 'sceneFrames':
      return extractSceneFrames(task)
    case 'convert':
      return convert(task, report)
  }
}

function toAppError(error: unknown) {
  if (!(error instanceof Error)) return error
  const isDiskFull = 'code' in error && error.code === 'ENOSPC'
  if (isDiskFull || error.message.includes('No space left')) return storageFull()
  return error instanceof FFmpegError ? corruptVideo() : error
}
