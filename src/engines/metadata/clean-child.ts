import { serveTasks } from '#platform/server/process-pool/serve-tasks.ts'
import { type CleanTask, writeWithoutMetadata } from './write-without-metadata.ts'

serveTasks<CleanTask, void>(writeWithoutMetadata)
