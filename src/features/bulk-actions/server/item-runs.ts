import { randomUUID } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import { type ConversionFormat, conversionFormats } from '#features/conversion/formats.ts'
import { historyMs } from '#features/media/server/history.ts'
import { tagRunKind } from '#features/tags/server/tag-runs.ts'
import type { IngestServices } from '#features/upload/server/ingest.ts'
import { conflict, notFound } from '#platform/errors.ts'
import { dialectOf } from '#platform/server/db/dialect.ts'
import { removeOldOutcomes } from '#platform/server/db/once.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { type RunKind, startRun, stopRun, workOnRuns } from '#platform/server/runs/runs.ts'
import {
  describeProgress,
  findRunByKey,
  listRunning,
  type Run,
  removeOldRuns,
} from '#platform/server/runs/runs-store.ts'
import type { RunUnderWay } from '../contract.ts'
import { changeKinds } from './history.ts'

/**
 * [Note: A request waits for its run]
 * The request that starts a run waits for its end and returns the response from the contract. A proxy may time out earlier; a
 * page that sends the same request again waits for the run in progress.
 */
export type ItemRunRequest<Options> = { runId?: string; ownerId: number; mediaIds: number[]; options: Options }

const titles: Record<string, (options: { format?: ConversionFormat; title?: string }) => string> = {
  'bulk-convert-webp': ({ format = 'webp' }) => `Convert to ${conversionFormats[format].name}`,
  'bulk-remove-background': () => 'Remove background',
  [tagRunKind]: ({ title = '' }) => title,
}
const kinds = Object.keys(titles)

export async function workOnItemRuns(services: IngestServices & { log: FastifyBaseLogger }, runKinds: RunKind[]) {
  const { db, jobs } = services
  for (const kind of runKinds) workOnRuns(services, kind)
  jobs.work('tidy-history', { concurrency: 1 }, async () => {
    const old = Date.now() - historyMs
    await removeOldRuns(db, { kinds: [...kinds, ...changeKinds], updatedBefore: old })
    await removeOldOutcomes(db, old)
  })
  await jobs.schedule('tidy-history', '41 2 * * *')
}

/** The key of the history entry of the run with this key. */
export const changeKey = (key: string) => `${key}/change`

export async function startItemRun<Options extends object>(
  { db, jobs }: IngestServices,
  kind: string,
  request: ItemRunRequest<Options>,
): Promise<Run> {
  const { runId: key = randomUUID(), ownerId } = request
  const mediaIds = [...new Set(request.mediaIds)]
  const options = { ...request.options, mediaIds }
  const items = mediaIds.map((id) => ({ input: String(id) }))
  try {
    return await db
      .transaction()
      .execute((transaction) => startRun(transaction, jobs, { kind, ownerId, key, options }, items))
  } catch (error) {
    if (!dialectOf(db).isUniqueViolation(error)) throw error
    const known = await findRunByKey(db, key)
    const isSame = known?.kind === kind && known.owner_id === ownerId && known.options === JSON.stringify(options)
    if (!isSame) throw conflict('This run has already been started.')
    return known
  }
}

export async function listRunsUnderWay(db: Db, ownerId: number): Promise<RunUnderWay[]> {
  const runs = (await Promise.all(kinds.map((kind) => listRunning(db, ownerId, kind)))).flat()
  return Promise.all(
    runs.map(async (run) => {
      const { runId, done, total } = await describeProgress(db, run)
      const title = titles[run.kind]!(JSON.parse(run.options))
      return { runId, done, total, title, createdAt: new Date(run.created_at).toISOString() }
    }),
  )
}

export async function cancelItemRun(services: Pick<IngestServices, 'db' | 'events'>, ownerId: number, key: string) {
  const run = await findRunByKey(services.db, key)
  if (run?.owner_id !== ownerId || !kinds.includes(run.kind) || run.status !== 'running') throw notFound('Run')
  await stopRun(services, run)
}
