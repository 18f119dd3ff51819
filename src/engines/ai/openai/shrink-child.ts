import { serveTasks } from '#platform/server/process-pool/serve-tasks.ts'
import { shrinkToJpeg } from '../picture.ts'

export type ShrinkTask = { frames: string[]; edge: number }

serveTasks<ShrinkTask, Buffer[]>(({ frames, edge }) => Promise.all(frames.map((frame) => shrinkToJpeg(frame, edge))))
