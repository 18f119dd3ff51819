import { join } from 'node:path'
import { createImageEngine } from '#engines/images/image-engine.ts'
import { createVideoEngine } from '#engines/video/video-engine.ts'
import { makeVideos } from './make-videos.ts'
import { measureUsage, uploadFiles } from './product.ts'
import { ms, type Row, wall } from './row.ts'
import type { Workspace } from './workspace.ts'

const videoCount = 20
/** Enough to start every child process that is used later. */
const warmUp = 4

/**
 * What ingest does with a video: probe, poster and thumbnail. Uploading several also pays for the sprites of the earlier
 * ones, which a job makes at the same time; that is printed as context and not judged.
 */
export const video: Row = async (workspace) => {
  const paths = await makeVideos(await workspace.newFolder('videos'), videoCount + warmUp, {
    ...{ width: 1920, height: 1080, frames: 60, framesPerSecond: 30, keyframeInterval: 30, scenes: 3 },
    audioCodec: 'aac',
  })
  const processed = await costOfProcessing(await workspace.newFolder('posters'), paths)
  const uploaded = await costOfUpload(workspace, paths)
  const each = processed.cpuMs / videoCount
  return [
    {
      what: 'video, 1080p H.264: probe, poster and thumbnail, CPU',
      context: `uploaded, including the sprites of earlier uploads: ${ms(uploaded.cpuMs / videoCount)}`,
      figure: `${ms(each)} (${wall(processed.wallMs / videoCount)})`,
      toReach: 'at most 60 ms',
      isReached: each <= 60,
    },
  ]
}

/** The engines as the server uses them, in child processes of this one that have already started. */
async function costOfProcessing(folder: string, paths: string[]) {
  const [videos, images] = [createVideoEngine(), createImageEngine()]
  const posterPath = join(folder, 'poster.jpg')
  const processVideo = async (path: string) => {
    await videos.process({ path, posterPath })
    await images.process({ path: posterPath, thumbnailPath: join(folder, 'thumbnail.webp') })
  }
  try {
    for (const path of paths.slice(0, warmUp)) await processVideo(path)
    return await measureUsage(process, async () => {
      for (const path of paths.slice(warmUp)) await processVideo(path)
    })
  } finally {
    await Promise.all([videos.close(), images.close()])
  }
}

async function costOfUpload(workspace: Workspace, paths: string[]) {
  const product = await workspace.openProduct()
  try {
    await uploadFiles(product, paths.slice(0, warmUp))
    return await measureUsage(product, () => uploadFiles(product, paths.slice(warmUp)))
  } finally {
    await product.stop()
  }
}
