import { serveTasks } from '#platform/server/process-pool/serve-tasks.ts'
import { drawPage } from './draw-page.ts'
import type { RenderedPage, RenderTask } from './render-page.ts'

serveTasks<RenderTask, RenderedPage>(drawPage)
