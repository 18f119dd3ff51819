import { rename, rm, stat } from 'node:fs/promises'
import { AppError } from '#platform/errors.ts'
import { corruptVideo } from './refusals.ts'
import type { VideoFacts } from './video-facts.ts'
import type { ConversionMethod, VideoBackend } from './video-tasks.ts'

export type PlayableRequest = {
  path: string
  outputPath: string
  /** Rises from 0 and ends with 1. */
  onProgress?: (fraction: number) => void
  signal?: AbortSignal
}

type Job = PlayableRequest & { backend: VideoBackend; facts: VideoFacts }

/** Writes beside the wanted path and renames when the result was looked at, so a half-made file never shows. */
export async function makePlayable(backend: VideoBackend, request: PlayableRequest) {
  request.signal?.throwIfAborted()
  const facts = await backend.inspect({ path: request.path })
  request.signal?.throwIfAborted()
  const partialPath = `${request.outputPath}.part`
  try {
    const method = await convert({
      ...request,
      backend,
      facts,
      outputPath: partialPath,
      onProgress: rising(request.onProgress),
    })
    const { size } = await stat(partialPath)
    await rename(partialPath, request.outputPath)
    request.onProgress?.(1)
    return { bytes: size, method }
  } finally {
    await rm(partialPath, { force: true })
  }
}

/** Copies the tracks where that is enough; when the copy turns out to be no good, they are made anew. */
async function convert(job: Job): Promise<ConversionMethod> {
  if (job.facts.playable === 'transcode') return convertBy(job, 'transcode')
  try {
    return await convertBy(job, 'remux')
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'corrupt-video')) throw error
    return convertBy(job, 'transcode')
  }
}

async function convertBy(job: Job, method: ConversionMethod) {
  const { backend, path, outputPath, facts, signal } = job
  await backend.convert({ path, outputPath, method, facts, signal, onProgress: job.onProgress ?? (() => {}) })
  const result = await backend.inspect({ path: outputPath })
  if (result.playable !== 'as-is') throw corruptVideo('This video could not be converted for browsers.')
  // A damaged source may end early when transcoded; a copy has no reason to.
  if (method === 'remux' && result.durationSeconds < facts.durationSeconds * 0.95 - 1)
    throw corruptVideo('This video lost a part of its length.')
  return method
}

/** A second attempt begins at 0 again, and packets do not come in the order in which they are shown. */
function rising(onProgress: PlayableRequest['onProgress']) {
  let highest = 0
  return (fraction: number) => {
    if (fraction <= highest) return
    highest = fraction
    onProgress?.(fraction)
  }
}
