import { AV_LOG_QUIET } from 'node-av/constants'
import { FFmpegError, Log } from 'node-av/lib'
import { eraseFilmMetadata } from '#engines/metadata/write-without-metadata.ts'
import { AppError, storageFull, withCause } from '#platform/errors.ts'
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
      return convertWithoutWords(task, report)
  }
}

async function convertWithoutWords(task: VideoTask & { kind: 'convert' }, report: (progress: number) => void) {
  await convert(task, report)
  // Copied pictures may contain words of the camera.
  if (task.method === 'remux') await eraseWords(task.outputPath)
}

/** A copy from which they cannot be erased is transcoded instead. */
async function eraseWords(path: string) {
  try {
    await eraseFilmMetadata(path)
  } catch (error) {
    if (error instanceof AppError && error.code === 'corrupt-file') throw withCause(corruptVideo(), error)
    throw error
  }
}

function toAppError(error: unknown) {
  if (!(error instanceof Error)) return error
  const isDiskFull = 'code' in error && error.code === 'ENOSPC'
  if (isDiskFull || error.message.includes('No space left')) return storageFull()
  return error instanceof FFmpegError ? corruptVideo() : error
}
