import type { FastifyBaseLogger } from 'fastify'
import type { IngestServices } from '#features/upload/server/ingest.ts'
import { bulkConversion } from './bulk-convert.ts'
import { removeOldChanges } from './history-store.ts'
import { workOnRuns } from './runs.ts'

export async function workOnBulk(services: IngestServices & { log: FastifyBaseLogger }) {
  workOnRuns(services, bulkConversion(services))
  services.jobs.work('tidy-history', { concurrency: 1 }, () => removeOldChanges(services.db))
  await services.jobs.schedule('tidy-history', '41 2 * * *')
}
