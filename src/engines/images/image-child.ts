import { serveTasks } from '#platform/server/process-pool/serve-tasks.ts'
import { convertToWebp } from './convert-to-webp.ts'
import { allowAcceptedTypesOnly } from './decoder.ts'
import type { ImageTask } from './image-tasks.ts'
import { inspectImage } from './inspect-image.ts'
import { processImage } from './process-image.ts'
import { renderImage } from './render-image.ts'
import { shrinkImage } from './shrink-image.ts'

allowAcceptedTypesOnly()
serveTasks<ImageTask, unknown>((task) => {
  switch (task.kind) {
    case 'process':
      return processImage(task)
    case 'inspect':
      return inspectImage(task)
    case 'render':
      return renderImage(task)
    case 'convert':
      return convertToWebp(task)
    case 'shrink':
      return shrinkImage(task)
  }
})
