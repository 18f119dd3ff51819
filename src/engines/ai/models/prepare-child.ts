import { serveTasks } from '#platform/server/process-pool/serve-tasks.ts'
import { type PrepareTask, prepareFiles } from './prepare.ts'

serveTasks<PrepareTask, void>(prepareFiles)
