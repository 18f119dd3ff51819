import { join } from 'node:path'
import { createImageEngine } from '#engines/images/image-engine.ts'
import { createVideoEngine } from '#engines/video/video-engine.ts'
import { makeFilms } from './films.ts'
import { usedBy } from './product.ts'
import { ms, type Row, wall } from './row.ts'
import { uploadFiles } from './upload.ts'
import type { Workshop } from './workshop.ts'

const films = 20
/** As many at once as start every child process that the rest will use. */
const warmUp = 4

/**
 * What the door does with a video: facts, poster and thumbnail. An upload of many also pays for the pictures to scrub
 * through of those that are already in, a job that begins beside it; that is told and not judged.
 */
export const video: Row = async (workshop) => {
  const paths = await makeFilms(await workshop.newFolder('films'), films + warmUp, {
    ...{ width: 1920, height: 1080, frames: 60, framesPerSecond: 30, keyframeInterval: 30, scenes: 3 },
    audioCodec: 'aac',
  })
  const looked = await costOfLooks(await workshop.newFolder('posters'), paths)
  const uploaded = await costOfUpload(workshop, paths)
  const each = looked.cpuMs / films
  return [
    {
      what: 'video, 1080p H.264: probe, poster and thumbnail, CPU',
      beside: `uploaded, with the scrub pictures made meanwhile: ${ms(uploaded.cpuMs / films)}`,
      figure: `${ms(each)} (${wall(looked.wallMs / films)})`,
      toReach: 'at most 60 ms',
      isReached: each <= 60,
    },
  ]
}

/** The engines as the server uses them, in child processes of this one that have already started. */
async function costOfLooks(folder: string, paths: string[]) {
  const [videos, images] = [createVideoEngine(), createImageEngine()]
  const posterPath = join(folder, 'poster.jpg')
  const look = async (path: string) => {
    await videos.process({ path, posterPath })
    await images.process({ path: posterPath, thumbnailPath: join(folder, 'thumbnail.webp') })
  }
  try {
    for (const path of paths.slice(0, warmUp)) await look(path)
    return await usedBy(process, async () => {
      for (const path of paths.slice(warmUp)) await look(path)
    })
  } finally {
    await Promise.all([videos.close(), images.close()])
  }
}

async function costOfUpload(workshop: Workshop, paths: string[]) {
  const product = await workshop.openProduct()
  try {
    await uploadFiles(product, paths.slice(0, warmUp))
    return await usedBy(product, () => uploadFiles(product, paths.slice(warmUp)))
  } finally {
    await product.stop()
  }
}
