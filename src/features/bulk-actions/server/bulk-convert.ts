import { type ConversionFormat, conversionFormats } from '#features/conversion/formats.ts'
import { convertImage } from '#features/conversion/server/convert.ts'
import { trashDays } from '#features/media/limits.ts'
import { throwIfNoneExists } from '#features/media/server/not-found.ts'
import { loadOwnedMedia } from '#features/media/server/store.ts'
import type { IngestServices } from '#features/upload/server/ingest.ts'
import { notFound } from '#platform/errors.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { type RunKind, waitForRun } from '#platform/server/runs/runs.ts'
import { findRun, findRunByKey, listErrors, listItems, type RunItem } from '#platform/server/runs/runs-store.ts'
import { formatBytes } from '#shared/bytes.ts'
import { countOf } from '#shared/count.ts'
import { changeKey, type ItemRunRequest, startItemRun } from './item-runs.ts'

const conversionKind = 'bulk-convert-webp'

type Options = { quality: number; deleteOriginal: boolean; format: ConversionFormat; longestSide?: number }
type Sizes = { originalSize: number; newSize: number }
type Request = ItemRunRequest<Options>

export function conversions(services: IngestServices): RunKind {
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

/** See [Note: A request waits for its run]. */
export async function convertMany(services: IngestServices, request: Request, signal: AbortSignal) {
  const run = await startItemRun(services, conversionKind, request)
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
