import { decode, openImage, type Source } from './decoder.ts'
import type { ModelInput, ModelInputRequest } from './image-tasks.ts'

export async function makeModelInput(task: Source & ModelInputRequest): Promise<ModelInput> {
  const { maxEdge, format } = task
  const image = openImage(task)
    .autoOrient()
    .resize(maxEdge, maxEdge, { fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
  const { data, info } = await decode(format === 'rgb' ? image.raw() : image.jpeg({ quality: 85 }))
  return { data, width: info.width, height: info.height }
}
