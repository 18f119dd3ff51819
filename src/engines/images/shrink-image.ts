import { decode, openImage, type Source } from './decoder.ts'
import type { ShrinkInput, SmallJpeg } from './image-tasks.ts'

export async function shrinkImage(task: Source & ShrinkInput): Promise<SmallJpeg> {
  const image = openImage(task)
    .autoOrient()
    .resize(task.edge, task.edge, { fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .jpeg({ quality: 85 })
  const { data, info } = await decode(image)
  return { data, width: info.width, height: info.height }
}
