import { serveTasks } from '#platform/server/process-pool/serve-tasks.ts'
import { findImages, type PageImages } from './find-images.ts'
import type { FindImagesTask } from './image-finder.ts'

serveTasks<FindImagesTask, PageImages>(async ({ html, pageUrl }) => findImages(html, pageUrl))
