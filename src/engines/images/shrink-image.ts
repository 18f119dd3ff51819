import sharp from 'sharp'
import { decode, readHeader, type Source } from './decoder.ts'
import type { ShrinkInput, SmallJpeg } from './image-tasks.ts'
import { decodeVisible } from './visible-frame.ts'

export async function shrinkImage(task: Source & ShrinkInput): Promise<SmallJpeg> {
  const size = { width: task.edge, height: task.edge, fit: 'inside', withoutEnlargement: true } as const
  const pixels = await decodeVisible(task, await readHeader(task), size)
  const { width, height, channels } = pixels.info
  const image = sharp(pixels.data, { raw: { width, height, channels } })
    .flatten({ background: '#ffffff' })
    .jpeg({ quality: 85 })
  const { data } = await decode(image)
  return { data, width, height }
}
