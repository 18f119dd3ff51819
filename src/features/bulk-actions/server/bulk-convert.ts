import { randomUUID } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import { type ConversionFormat, conversionFormats } from '#features/conversion/formats.ts'
import { convertImage } from '#features/conversion/server/convert.ts'
import { trashDays } from '#features/media/limits.ts'
import { historyMs } from '#features/media/server/history.ts'
import { throwIfNoneExists } from '#features/media/server/not-found.ts'
import { loadOwnedMedia } from '#features/media/server/store.ts'
import type { IngestServices } from '#features/upload/server/ingest.ts'
import { conflict, notFound } from '#platform/errors.ts'
import { dialectOf } from '#platform/server/db/dialect.ts'
import { removeOldOutcomes } from '#platform/server/db/once.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { type RunKind, startRun, stopRun, waitForRun, workOnRuns } from '#platform/server/runs/runs.ts'
import {
  describeProgress,
  findRun,
  findRunByKey,
  listErrors,
  listItems,
  listRunning,
  type Run,
  type RunItem,
  removeOldRuns,
} from '#platform/server/runs/runs-store.ts'
import { formatBytes } from '#shared/bytes.ts'
import { countOf } from '#shared/count.ts'
import type { RunUnderWay } from '../contract.ts'
import { changeKinds } from './history.ts'

const conversionKind = 'bulk-convert-webp'

type Options = { quality: number; deleteOriginal: boolean; format: ConversionFormat; longestSide?: number }
type Sizes = { originalSize: number; newSize: number }
type Request = { runId?: string; ownerId: number; mediaIds: number[]; options: Options }

export async function workOnBulk(services: IngestServices & { log: FastifyBaseLogger }) {
  const { db, jobs } = services
  workOnRuns(services, conversions(services))
  jobs.work('tidy-history', { concurrency: 1 }, async () => {
    const old = Date.now() - historyMs
    await removeOldRuns(db, { kinds: [conversionKind, ...changeKinds], updatedBefore: old })
    await removeOldOutcomes(db, old)
  })
  await jobs.schedule('tidy-history', '41 2 * * *')
}

function conversions(services: IngestServices): RunKind {
  return {
    kind: conversionKind,
    runsAtOnce: 1,
    itemsAtOnce: 1,
    itemsPerJob: 10,
    interrupted: 'The run was interrupted.',
    begin: ({ owner_id, key, options }) => {
      const { mediaIds: _ids, ...wanted } = JSON.parse(options) as Options & { mediaIds: number[] }
      return async ({ input }, mark) => {
        const media = await loadOwnedMedia(services.db, owner_id!, Number(input))
        // A file that would not shrink is done without an output.
        const alsoWrite = (transaction: Db, { originalSize, newSize }: Sizes) =>
          mark(transaction, { output: String(originalSize - newSize) })
        await convertImage(services, media, { ...wanted, changeKey: changeKey(key!), alsoWrite })
      }
    },
  }
}

/** The key of the history entry of the run with this key. */
const changeKey = (key: string) => `${key}/change`

/**
 * [Note: A request waits for its run]
 * The request that starts a run waits for its end and returns the response from the contract. A proxy may time out earlier; a
 * page that sends the same request again waits for the run in progress.
 */
export async function convertMany(services: IngestServices, request: Request, signal: AbortSignal) {
  const run = await startConversion(services, request)
  await waitForRun(services, run, { signal })
  signal.throwIfAborted()
  return describeConversion(services.db, run.id)
}

async function describeConversion(db: Db, runId: number) {
  const run = await findRun(db, runId)
  if (!run) throw notFound('Run')
  const items = await listItems(db, runId)
  const inState = (state: RunItem['state']) => items.filter((item) => item.state === state)
  const idsOf = (some: RunItem[]) => some.map(({ input }) => Number(input))
  const waiting = inState('waiting')
  const converted = inState('done').filter(({ output }) => output !== null)
  const unchanged = inState('done').length - converted.length
  const savedBytes = converted.reduce((sum, { output }) => sum + Number(output), 0)
  const errors = listErrors(run, items).map(({ input, error }) => ({ id: Number(input), message: error }))
  const left = run.status === 'stopped' ? idsOf(waiting) : []
  if (converted.length + unchanged === 0) throwIfNoneExists({ changed: [], errors })
  const options = JSON.parse(run.options) as Options
  const change = await findRunByKey(db, changeKey(run.key!))
  const kept = unchanged > 0 ? ` Skipped ${countOf(unchanged, 'image')} that wouldn't shrink.` : ''
  const rest = left.length > 0 ? ` ${countOf(left.length, 'item')} not processed.` : ''
  return {
    message: `${describeSavings(converted.length, savedBytes, options)}${kept}${rest}`,
    summary: { successful: converted.length + unchanged, failed: errors.length },
    errors,
    formattedSavings: formatBytes(savedBytes),
    savedBytes,
    unchanged,
    left,
    changeId: change?.undone_at === null ? change.id : undefined,
  }
}

/** Copies are smaller than their originals, but the library grows by them; only replacing saves storage, once the originals are gone. */
function describeSavings(count: number, savedBytes: number, { deleteOriginal, format }: Options) {
  const { name } = conversionFormats[format]
  if (count === 0) return 'No images converted.'
  if (deleteOriginal)
    return `${countOf(count, 'image')} replaced, ${formatBytes(savedBytes)} saved. Originals are kept as versions for ${trashDays} days.`
  const originals = count === 1 ? 'its original' : 'their originals'
  return `${countOf(count, `${name} copy`, `${name} copies`)} added, ${formatBytes(savedBytes)} smaller than ${originals}.`
}

export async function listConversionsUnderWay(db: Db, ownerId: number): Promise<RunUnderWay[]> {
  const runs = await listRunning(db, ownerId, conversionKind)
  return Promise.all(
    runs.map(async (run) => {
      const { runId, done, total } = await describeProgress(db, run)
      const { format = 'webp' } = JSON.parse(run.options) as Partial<Options>
      const title = `Convert to ${conversionFormats[format].name}`
      return { runId, done, total, title, createdAt: new Date(run.created_at).toISOString() }
    }),
  )
}

export async function cancelConversion(services: Pick<IngestServices, 'db' | 'events'>, ownerId: number, key: string) {
  const run = await findRunByKey(services.db, key)
  if (run?.owner_id !== ownerId || run.kind !== conversionKind || run.status !== 'running') throw notFound('Run')
  await stopRun(services, run)
}

async function startConversion({ db, jobs }: IngestServices, request: Request): Promise<Run> {
  const { runId: key = randomUUID(), ownerId, options } = request
  const mediaIds = [...new Set(request.mediaIds)]
  const wanted = JSON.stringify({ ...options, mediaIds })
  const items = mediaIds.map((id) => ({ input: String(id) }))
  try {
    return await db
      .transaction()
      .execute((transaction) =>
        startRun(transaction, jobs, { kind: conversionKind, ownerId, key, options: { ...options, mediaIds } }, items),
      )
  } catch (error) {
    if (!dialectOf(db).isUniqueViolation(error)) throw error
    const known = await findRunByKey(db, key)
    const isSame = known?.kind === conversionKind && known.owner_id === ownerId && known.options === wanted
    if (!isSame) throw conflict('This run has already been started.')
    return known
  }
}
