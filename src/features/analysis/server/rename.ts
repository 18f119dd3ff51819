import { randomUUID } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import type { Kysely } from 'kysely'
import { nameWrittenByPeople, suggestNameByRules } from '#engines/ai/naming.ts'
import type { NameContext } from '#engines/ai/provider.ts'
import { listNamings } from '#features/collections/server/naming.ts'
import type { CollectionRow } from '#features/collections/server/store.ts'
import type { NewName } from '#features/media/contract.ts'
import { announceMedia } from '#features/media/server/announce.ts'
import { lockIfNotUndone } from '#features/media/server/history.ts'
import { itemsOf } from '#features/media/server/listing/collection-items.ts'
import { indexMedia } from '#features/media/server/listing/search-documents.ts'
import { dayOf, nameContextOf } from '#features/media/server/name-facts.ts'
import type { Owned } from '#features/media/server/owned.ts'
import { applyNames, renamedMeanwhile, toNewName } from '#features/media/server/rename.ts'
import { listTags, lockOwnedMedia } from '#features/media/server/store.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import { findWebsiteNamed } from '#features/websites/server/store.ts'
import { contextOfWebsite } from '#features/websites/server/website-context.ts'
import { AppError } from '#platform/errors.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import type { Events } from '#platform/server/events/events.ts'
import { insertEndedItems, insertEndedRun, type Run } from '#platform/server/runs/runs-store.ts'
import { chunksOf } from '#shared/chunks.ts'
import { limitConcurrency } from '#shared/concurrency.ts'
import { countOf } from '#shared/count.ts'
import { keepExtension, safeTypedName, splitExtension, uniqueNames } from '#shared/filenames.ts'
import { defaultNamePattern, nameFrom, parsePattern, uniqueWebNames } from '#shared/web-names.ts'
import type { AiRenameRequest } from '../contract.ts'
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
  const rows = await (await itemsOf(db, collection)).inOrder().selectAll('media').execute()
  const naming = (await listNamings(db, collection.owner_id, [collection.id])).get(collection.id)
  const pattern = patternFor(request, naming?.pattern ?? '')
  const known = await findWebsiteNamed(db, collection.owner_id, request.company)
  const website = known && contextOfWebsite(known)
  const { names, note } = request.names
    ? { names: makeUnique(rows, asReviewed(rows, request.names)), note: null }
    : await suggestNames(services, rows, { ...request, pattern, website, collection: collection.name })
  const changed = names.filter(({ from, to }) => from !== to)
  if (request.preview || changed.length === 0) return { ...answerOf(names, null), note, pattern }
  const runId = randomUUID()
  const ownerId = collection.owner_id
  const run = await insertEndedRun(db, { kind: renameKind, ownerId, key: runId })
  const renamed = new Set<number>()
  const { renameAddresses } = request
  for (const part of chunksOf(changed, batch)) {
    const ids = await db
      .transaction()
      .execute((transaction) => renameBatch(transaction, { run, ownerId, names: part, renameAddresses }))
    for (const id of ids) renamed.add(id)
    await announceMedia(events, ownerId, ids)
  }
  const given = names.map((name) => (renamed.has(name.id) ? name : { ...name, to: name.from }))
  return { ...answerOf(given, runId), note, pattern }
}

/** Null asks for readable names, and an empty pattern for that of the website. */
function patternFor({ pattern }: AiRenameRequest, ofWebsite: string) {
  if (pattern === undefined) return ofWebsite
  return pattern === null ? '' : pattern || ofWebsite || defaultNamePattern
}

type Batch = { run: Run; ownerId: number; names: NewName[]; renameAddresses: boolean }

/** Returns the ids of the renamed items, without those renamed in the meantime; empty once the run was reverted. */
async function renameBatch(transaction: Db, { run, ownerId, names, renameAddresses }: Batch): Promise<number[]> {
  const held = await lockOwnedMedia(
    transaction,
    ownerId,
    names.map(({ id }) => id),
  )
  const isReverted = (await lockIfNotUndone(transaction, run)) === undefined
  const reason = isReverted ? 'The run was reverted in the meantime.' : renamedMeanwhile
  const { renamed, others } = await applyNames(transaction, isReverted ? [] : held, { names, renameAddresses })
  const skipped = isReverted ? held.map(({ id }) => id) : others
  const wanted = new Map(names.map((name) => [name.id, name]))
  const ids = renamed.map(({ mediaId }) => mediaId)
  await insertEndedItems(transaction, run.id, [
    ...renamed.map(({ mediaId, before, after }) => ({ mediaId, input: before, output: after })),
    ...skipped.map((id) => ({ mediaId: id, input: wanted.get(id)!.from, output: wanted.get(id)!.to, error: reason })),
  ])
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
    if (from !== filename) return filename
    return keepExtension(to, filename) === to ? to : splitExtension(to).stem
  }
  return new Map(rows.map((row) => [row.id, nameOf(row)]))
}

type Suggested = { names: NewName[]; note: string | null }
type Wanted = Pick<AiRenameRequest, 'company' | 'context'> &
  Pick<NameContext, 'website'> & { pattern: string; collection: string }

async function suggestNames(services: Services, rows: MediaRow[], wanted: Wanted): Promise<Suggested> {
  const { company, context, website, pattern, collection } = wanted
  const inTurn = limitConcurrency(askedAtOnce)
  const signal = AbortSignal.timeout(maxWaitMs)
  const tags = await tagsOf(services.db, rows)
  const namer = createNamer(services, rows[0]?.owner_id)
  const named = rows.map((row) =>
    inTurn(async () => {
      const known = nameContextOf(row, tags.get(row.id) ?? [])
      return [
        row.id,
        await namer.suggest({ ...known, company: pattern ? undefined : company, context, website, signal }),
      ] as const
    }),
  )
  const stems = new Map(await Promise.all(named))
  if (!pattern) return { names: makeUnique(rows, stems), note: namer.note() }
  const parsed = parsePattern(pattern)
  const freeName = uniqueWebNames()
  const names = rows.map((row, index) => {
    const facts = { website: company, collection, subject: stems.get(row.id)!, date: dayOf(row) }
    const numbers = { n: index + 1, count: rows.length }
    return toNewName(row, freeName(nameFrom(parsed, { ...facts, ...numbers }, row.filename)))
  })
  return { names, note: namer.note() }
}

async function tagsOf(db: Kysely<Tables>, rows: MediaRow[]) {
  const tags: Awaited<ReturnType<typeof listTags>> = []
  const ids = rows.map(({ id }) => id)
  for (const part of chunksOf(ids, batch)) tags.push(...(await listTags(db, part)))
  return Map.groupBy(tags, ({ media_id }) => media_id)
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
    return toNewName(row, freeName(safeTypedName(wanted)))
  })
}
