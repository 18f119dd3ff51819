import { decode, openImage, readHeader, type Source } from './decoder.ts'
import type { InspectedImage } from './image-tasks.ts'

/** Small enough for the fastest decode that a format offers; every byte of the file is read all the same. */
const probeEdge = 64

export async function inspectImage(source: Source): Promise<InspectedImage> {
  const { mimeType, width, height, frames } = await readHeader(source)
  await decode(
    openImage(source)
      .resize(probeEdge, probeEdge, { fit: 'inside', withoutEnlargement: true, kernel: 'nearest' })
      .raw(),
  )
  return { mimeType, width, height, frames }
}
