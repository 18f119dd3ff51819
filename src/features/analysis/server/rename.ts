import { randomUUID } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import type { Kysely } from 'kysely'
import { nameWrittenByPeople, suggestNameByRules } from '#engines/ai/naming.ts'
import type { NameContext } from '#engines/ai/provider.ts'
import { type CollectionRow, membersInOrder } from '#features/collections/server/store.ts'
import { announceMedia } from '#features/media/server/announce.ts'
import { lockIfNotUndone } from '#features/media/server/history.ts'
import { indexMedia } from '#features/media/server/listing/search-documents.ts'
import { derivedNames, fileAddress } from '#features/media/server/media-addresses.ts'
import type { Owned } from '#features/media/server/owned.ts'
import { listTags, lockOwnedMedia, updateNames } from '#features/media/server/store.ts'
import type { MediaRow, TagRow } from '#features/media/server/to-media.ts'
import { AppError } from '#platform/errors.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import type { Events } from '#platform/server/events/events.ts'
import { insertEndedItems, insertEndedRun, type Run } from '#platform/server/runs/runs-store.ts'
import { chunksOf } from '#shared/chunks.ts'
import { limitConcurrency } from '#shared/concurrency.ts'
import { countOf } from '#shared/count.ts'
import { keepExtension, safeTypedName, splitExtension, uniqueNames } from '#shared/filenames.ts'
import type { AiRenameRequest, NewName } from '../contract.ts'
import type { Ai } from './ai.ts'
import { isCommonFault } from './failures.ts'
import { createNameByAi } from './name-by-ai.ts'
import { renameKind } from './runs/runs.ts'

type Services = { db: Kysely<Tables>; ai: Ai; events: Events; log: FastifyBaseLogger }

const askedAtOnce = 4
const batch = 500
/** After this time the remaining names are made by rules, as a user is waiting. */
const maxWaitMs = 60_000

/** Names the images of a collection. With `preview` nothing is changed; names from a preview are applied as given. */
export async function renameCollection(services: Services, collection: Owned<CollectionRow>, request: AiRenameRequest) {
  const { db, events } = services
  const rows = await membersInOrder(db, collection.id).selectAll('media').execute()
  const { stems, note } = request.names
    ? { stems: asReviewed(rows, request.names), note: null }
    : await suggestNames(services, rows, request)
  const names = makeUnique(rows, stems)
  const changed = names.filter(({ from, to }) => from !== to)
  if (request.preview || changed.length === 0) return { ...answerOf(names, null), note }
  const runId = randomUUID()
  const ownerId = collection.owner_id
  const run = await insertEndedRun(db, { kind: renameKind, ownerId, key: runId })
  const renamed = new Set<number>()
  for (const part of chunksOf(changed, batch)) {
    const ids = await db.transaction().execute((transaction) => renameBatch(transaction, { run, ownerId, names: part }))
    for (const id of ids) renamed.add(id)
    await announceMedia(events, ownerId, ids)
  }
  const given = names.map((name) => (renamed.has(name.id) ? name : { ...name, to: name.from }))
  return { ...answerOf(given, runId), note }
}

type Batch = { run: Run; ownerId: number; names: NewName[] }

/** Returns the ids of the renamed items, without those renamed in the meantime; empty once the run was reverted. */
async function renameBatch(transaction: Db, { run, ownerId, names }: Batch): Promise<number[]> {
  const held = await lockOwnedMedia(
    transaction,
    ownerId,
    names.map(({ id }) => id),
  )
  const namesNow = new Map(held.map(({ id, filename }) => [id, filename]))
  const isReverted = (await lockIfNotUndone(transaction, run)) === undefined
  const reason = isReverted ? 'The run was reverted in the meantime.' : 'It was renamed in the meantime.'
  const items = names
    .filter(({ id }) => namesNow.has(id))
    .map(({ id, from, to }) => {
      const error = isReverted || namesNow.get(id) !== from ? reason : undefined
      return { mediaId: id, input: from, output: to, error }
    })
  const renamed = items.filter(({ error }) => error === undefined)
  const ids = renamed.map(({ mediaId }) => mediaId)
  await updateNames(
    transaction,
    renamed.map(({ mediaId, output }) => ({ id: mediaId, filename: output })),
  )
  await insertEndedItems(transaction, run.id, items)
  await indexMedia(transaction, ids)
  return ids
}

function answerOf(names: NewName[], runId: string | null) {
  const renamed = names.filter(({ from, to }) => from !== to).length
  const stats = { renamed, unchanged: names.length - renamed }
  return { message: sentenceFor(stats), stats, names, runId }
}

const sentenceFor = ({ renamed, unchanged }: { renamed: number; unchanged: number }) =>
  `${countOf(renamed, 'item')} renamed, ${unchanged.toLocaleString('en')} unchanged.`

type Stems = Map<number, string>

/** An item that was renamed after the preview keeps its name. */
function asReviewed(rows: MediaRow[], names: NonNullable<AiRenameRequest['names']>): Stems {
  const reviewed = new Map(names.map((name) => [name.id, name]))
  const nameOf = ({ id, filename }: MediaRow) => {
    const { from = filename, to = filename } = reviewed.get(id) ?? {}
    return from === filename ? to : filename
  }
  return new Map(rows.map((row) => [row.id, splitExtension(nameOf(row)).stem]))
}

type Suggested = { stems: Stems; note: string | null }

async function suggestNames(services: Services, rows: MediaRow[], request: AiRenameRequest): Promise<Suggested> {
  const { company, context } = request
  const inTurn = limitConcurrency(askedAtOnce)
  const signal = AbortSignal.timeout(maxWaitMs)
  const tags = await tagsOf(services.db, rows)
  const namer = createNamer(services, rows[0]?.owner_id)
  const named = rows.map((row) =>
    inTurn(async () => {
      const known = contextOf(row, tags.get(row.id) ?? [])
      return [row.id, await namer.suggest({ ...known, company, context, signal })] as const
    }),
  )
  return { stems: new Map(await Promise.all(named)), note: namer.note() }
}

async function tagsOf(db: Kysely<Tables>, rows: MediaRow[]) {
  const tags: Awaited<ReturnType<typeof listTags>> = []
  const ids = rows.map(({ id }) => id)
  for (const part of chunksOf(ids, batch)) tags.push(...(await listTags(db, part)))
  return Map.groupBy(tags, ({ media_id }) => media_id)
}

/** Names are public, so they are made only of text that visitors may read. */
function contextOf(row: MediaRow, tags: TagRow[]): NameContext {
  const source = row.source ? (JSON.parse(row.source) as { alt?: string; context?: string }) : {}
  return {
    caption: row.user_description ?? undefined,
    alt: source.alt,
    heading: source.context,
    fileName: splitExtension(row.filename).stem,
    description: row.ai_description ?? undefined,
    ocr: row.found_text ?? undefined,
    tags: tags.map(({ tag }) => tag),
  }
}

/** Rules always produce a name, so a model that is missing, slow, failing or at its limit causes no error. */
function createNamer({ db, ai, log }: Services, ownerId = 0) {
  const nameByAi = createNameByAi({ db, ai })(ownerId)
  // A failure that the next picture would meet as well.
  let lasting: unknown = ai.pauseReason()
  let reason = ''
  let madeByRules = 0

  return {
    async suggest(context: NameContext): Promise<string> {
      const byRules = suggestNameByRules(context).name
      if (!ai.endpoint || nameWrittenByPeople(context)) return byRules
      try {
        if (lasting) throw lasting
        context.signal?.throwIfAborted()
        return await nameByAi!(context)
      } catch (error) {
        if (error !== lasting && !context.signal?.aborted) log.warn({ err: error }, 'AI name failed, rules were used')
        if (isCommonFault(error)) lasting = error
        reason ||= error instanceof AppError ? error.message : 'The AI took longer than a minute.'
        madeByRules++
        return byRules
      }
    },
    /** Tells the user how many names were not made by the AI. */
    note: () => (madeByRules > 0 ? `${countOf(madeByRules, 'name')} made without the AI. ${reason}` : null),
  }
}

/** Reviewed names may be as long as those that users type. A number that makes a name unique is never cut off. */
function makeUnique(rows: MediaRow[], stems: Stems): NewName[] {
  const freeName = uniqueNames((name, count) => safeTypedName(name, ` ${count}`))
  return rows.map((row) => {
    const wanted = keepExtension(safeTypedName(stems.get(row.id)!), row.filename)
    const thumbnailUrl = fileAddress(row, derivedNames.thumbnail)
    return { id: row.id, from: row.filename, to: freeName(safeTypedName(wanted)), thumbnailUrl }
  })
}
