import { randomUUID } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import type { Kysely } from 'kysely'
import { nameWrittenByPeople, suggestNameByRules } from '#engines/ai/naming.ts'
import type { NameContext } from '#engines/ai/provider.ts'
import { type CollectionRow, membersInOrder } from '#features/collections/server/store.ts'
import { announceMedia } from '#features/media/server/announce.ts'
import { indexMedia } from '#features/media/server/listing/search-documents.ts'
import { derivedNames, fileAddress } from '#features/media/server/media-addresses.ts'
import type { Owned } from '#features/media/server/owned.ts'
import { listTags, lockMedia, lockOwnedMedia, updateMedia } from '#features/media/server/store.ts'
import type { MediaRow, TagRow } from '#features/media/server/to-media.ts'
import { AppError } from '#platform/errors.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import type { Events } from '#platform/server/events/events.ts'
import { chunksOf } from '#shared/chunks.ts'
import { limitConcurrency } from '#shared/concurrency.ts'
import { countOf } from '#shared/count.ts'
import { keepExtension, safeTypedName, splitExtension, uniqueNames } from '#shared/filenames.ts'
import { sortKey } from '#shared/fold.ts'
import type { AiRenameRequest, NewName } from '../contract.ts'
import type { Ai } from './ai.ts'
import { isCommonFault } from './failures.ts'
import { createNameByAi } from './name-by-ai.ts'
import { finishItem, holdRun, insertRun } from './runs/runs-store.ts'

type Services = { db: Kysely<Tables>; ai: Ai; events: Events; log: FastifyBaseLogger }

const askedAtOnce = 4
const batch = 500
/** After this long the rest is named by rules: a person is waiting. */
const patienceMs = 60_000

/** Names the images of a collection. With `preview` nothing is changed; names from a preview are taken as they are. */
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
  // The way back first: whatever is renamed, even before a crash, can be undone.
  const run = { id: runId, owner_id: collection.owner_id, kind: 'rename', status: 'done' } as const
  await db.transaction().execute(async (transaction) => {
    const ids = changed.map(({ id }) => id)
    const held = new Set(await lockMedia(transaction, ids))
    const there = changed.filter(({ id }) => held.has(id))
    const items = there.map(({ id, from, to }) => ({ mediaId: id, before: from, after: to }))
    await insertRun(transaction, run, items)
  })
  const kept = new Set<number>()
  for (const part of chunksOf(changed, batch)) {
    for (const id of await db.transaction().execute((transaction) => renameBatch(transaction, run, part))) kept.add(id)
    await announceMedia(
      events,
      run.owner_id,
      part.map(({ id }) => id),
    )
  }
  const given = names.map((name) => (kept.has(name.id) ? { ...name, to: name.from } : name))
  return { ...answerOf(given, runId), note }
}

/**
 * Whoever gave an item another name while the AI was thinking keeps it, and who has taken the run back gets no more names;
 * gives back the ids of these.
 */
async function renameBatch(db: Db, run: { id: string; owner_id: number }, names: NewName[]) {
  const ids = names.map(({ id }) => id)
  const held = await lockOwnedMedia(db, run.owner_id, ids)
  const namesNow = new Map(held.map(({ id, filename }) => [id, filename]))
  const isTakenBack = (await holdRun(db, run.id)).status === 'reverted'
  const kept: number[] = []
  for (const { id, from, to } of names) {
    if (!isTakenBack && namesNow.get(id) === from) await updateMedia(db, id, { filename: to, name_key: sortKey(to) })
    else kept.push(id)
  }
  const reason = isTakenBack ? 'The run was reverted in the meantime.' : 'It was renamed or deleted in the meantime.'
  for (const id of kept) await finishItem(db, run.id, id, reason)
  await indexMedia(db, ids)
  return kept
}

function answerOf(names: NewName[], runId: string | null) {
  const renamed = names.filter(({ from, to }) => from !== to).length
  const stats = { renamed, unchanged: names.length - renamed }
  return { message: sentenceFor(stats), stats, names, runId }
}

const sentenceFor = ({ renamed, unchanged }: { renamed: number; unchanged: number }) =>
  `${countOf(renamed, 'item')} renamed, ${unchanged.toLocaleString('en')} unchanged.`

type Stems = Map<number, string>

/** Whoever gave an item another name since the preview keeps it. */
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
  const signal = AbortSignal.timeout(patienceMs)
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

/** Names are shown to visitors, so they are made of what visitors may read. */
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

/** Rules always have a name; a model that is missing, slow, at its limit or out of its mind only costs the better one. */
function createNamer({ db, ai, log }: Services, ownerId = 0) {
  const nameByAi = createNameByAi({ db, ai })(ownerId)
  // The next picture would meet it too.
  let lasting: unknown = ai.restReason()
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
        if (error !== lasting && !context.signal?.aborted) log.warn({ err: error }, 'name was made by rules')
        if (isCommonFault(error)) lasting = error
        reason ||= error instanceof AppError ? error.message : 'The AI took longer than a minute.'
        madeByRules++
        return byRules
      }
    },
    /** Who asked for the AI's names is told how many are not. */
    note: () => (madeByRules > 0 ? `${countOf(madeByRules, 'name')} made without the AI. ${reason}` : null),
  }
}

/** What a person reviewed is as free as a name that they type; its number stays whole, however long it is. */
function makeUnique(rows: MediaRow[], stems: Stems): NewName[] {
  const freeName = uniqueNames((name, count) => safeTypedName(name, ` ${count}`))
  return rows.map((row) => {
    const wanted = keepExtension(safeTypedName(stems.get(row.id)!), row.filename)
    const thumbnailUrl = fileAddress(row, derivedNames.thumbnail)
    return { id: row.id, from: row.filename, to: freeName(safeTypedName(wanted)), thumbnailUrl }
  })
}
