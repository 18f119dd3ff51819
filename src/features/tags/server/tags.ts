import type { Kysely } from 'kysely'
import type { TagColor } from '#features/media/limits.ts'
import { collectionsNaming } from '#features/media/server/listing/collections-naming.ts'
import { suggestFacets } from '#features/media/server/listing/facets.ts'
import { conflict, invalid, notFound } from '#platform/errors.ts'
import { partsToAsk } from '#platform/server/db/parts-to-ask.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import type { Events } from '#platform/server/events/events.ts'
import type { Jobs } from '#platform/server/jobs/jobs.ts'
import { countOf } from '#shared/count.ts'
import type { LibraryTag, TagOutcome } from '../contract.ts'
import { runTagEdit } from './tag-runs.ts'
import { listSettings, saveSettings } from './tag-settings.ts'

type Services = { db: Kysely<Tables>; jobs: Jobs; events: Events }

/** The most used first, and at the end those without items that are never suggested. */
export async function listLibraryTags(
  db: Db,
  ownerId: number,
  { search, limit }: { search?: string; limit: number },
): Promise<LibraryTag[]> {
  const found = search?.trim()
    ? await suggestFacets(db, ownerId, ['tag'], search, limit)
    : await mostUsed(db, ownerId, limit)
  const settings = new Map((await listSettings(db, ownerId)).map((row) => [row.tag, row]))
  const described = (tag: string, count: number): LibraryTag => {
    const { color = null, is_never = 0 } = settings.get(tag) ?? {}
    return { tag, count, color, isNever: is_never === 1 }
  }
  const used = found.map(({ value, item_count }) => described(value, item_count))
  if (search?.trim()) return used
  const listed = new Set(used.map(({ tag }) => tag))
  const unused = [...settings.values()].filter(({ tag, is_never }) => is_never === 1 && !listed.has(tag))
  return [...used, ...unused.map(({ tag }) => described(tag, 0))].slice(0, limit)
}

export async function describeTag(db: Db, ownerId: number, tag: string) {
  const facets = db.selectFrom('facets').select('item_count').where('owner_id', '=', ownerId).where('kind', '=', 'tag')
  const count = (await facets.where('value', '=', tag).executeTakeFirst())?.item_count ?? 0
  const [settings] = await listSettings(db, ownerId, [tag])
  if (!settings && !(await hasTag(db, ownerId, tag))) throw notFound('Tag')
  const collections = (await collectionsNaming(db, ownerId, 'tag')).of(tag)
  return { tag, count, color: settings?.color ?? null, isNever: settings?.is_never === 1, collections }
}

const mostUsed = (db: Db, ownerId: number, limit: number) =>
  db
    .selectFrom('facets')
    .select(['value', 'item_count'])
    .where('owner_id', '=', ownerId)
    .where('kind', '=', 'tag')
    .where('item_count', '>', 0)
    .orderBy('item_count', 'desc')
    .orderBy('value')
    .limit(limit)
    .execute()

/** How many of the given items have each tag, the most frequent first. */
export async function countTagsOf(db: Db, ownerId: number, mediaIds: number[]) {
  const counts = new Map<string, number>()
  let isAnyOwn = false
  for (const part of partsToAsk([...new Set(mediaIds)])) {
    const rows = await db
      .selectFrom('media_tags')
      .select(['tag', ({ fn }) => fn.countAll<number>().as('count')])
      .where('media_id', 'in', part)
      .where('owner_id', '=', ownerId)
      .groupBy('tag')
      .execute()
    for (const { tag, count } of rows) counts.set(tag, (counts.get(tag) ?? 0) + Number(count))
    isAnyOwn ||= rows.length > 0 || (await hasOwn(db, ownerId, part))
  }
  if (!isAnyOwn) throw notFound('Media')
  return [...counts]
    .map(([tag, count]) => ({ tag, count }))
    .sort((one, other) => other.count - one.count || (one.tag < other.tag ? -1 : 1))
}

async function hasOwn(db: Db, ownerId: number, ids: number[]) {
  const own = db.selectFrom('media').select('id').where('id', 'in', ids).where('owner_id', '=', ownerId)
  return (await own.limit(1).executeTakeFirst()) !== undefined
}

type Changes = { name?: string; color?: TagColor | null; isNever?: boolean }

export async function changeTag(
  services: Services,
  ownerId: number,
  tag: string,
  { name = tag, ...settings }: Changes,
): Promise<TagOutcome> {
  const { db } = services
  const save = (transaction: Db, saved: string) => saveSettings(transaction, { ownerId, tag: saved }, settings)
  const has = (wanted: string) => hasTag(db, ownerId, wanted)
  if (name === tag) {
    // A word can be refused before any item has it.
    if (!settings.isNever && !(await has(tag)) && (await listSettings(db, ownerId, [tag])).length === 0)
      throw notFound('Tag')
    await db.transaction().execute((transaction) => save(transaction, tag))
    return { message: settingsInWords(tag, settings), changed: 0, isRunning: false }
  }
  if (!(await has(tag))) throw notFound('Tag')
  if (await has(name)) {
    const message = `The tag "${name}" already exists. Choose another name, or merge "${tag}" into it.`
    throw conflict(message, { canMerge: true, into: name })
  }
  const edit = { from: [tag], into: name, title: `Renamed the tag "${tag}" to "${name}"` }
  const message = (items: number) => `Renamed to "${name}" on ${countOf(items, 'item')}.`
  return runTagEdit(services, ownerId, { ...edit, message }, (transaction) => save(transaction, name))
}

function settingsInWords(tag: string, { isNever }: Changes) {
  if (isNever === undefined) return `"${tag}" saved.`
  return isNever ? `"${tag}" is never suggested again.` : `"${tag}" can be suggested again.`
}

export async function mergeTags(services: Services, ownerId: number, asked: { from: string[]; into: string }) {
  const { into } = asked
  const wanted = [...new Set(asked.from)].filter((tag) => tag !== into)
  if (wanted.length === 0) throw invalid('Choose a tag other than the one to merge into.', { field: 'from' })
  const from: string[] = []
  for (const tag of wanted) if (await hasTag(services.db, ownerId, tag)) from.push(tag)
  if (from.length === 0) throw notFound('Tag')
  return runTagEdit(services, ownerId, {
    from,
    into,
    title: `Merged ${from.map((tag) => `"${tag}"`).join(', ')} into "${into}"`,
    message: (items) => `Merged into "${into}" on ${countOf(items, 'item')}.`,
  })
}

/** The tag is also removed from items in the trash. */
export async function removeTag(services: Services, ownerId: number, tag: string, { isNever }: { isNever: boolean }) {
  if (!(await hasTag(services.db, ownerId, tag))) throw notFound('Tag')
  const message = (items: number) => `"${tag}" removed from ${countOf(items, 'item')}.`
  const edit = { from: [tag], into: null, title: `Deleted the tag "${tag}"`, message }
  return runTagEdit(services, ownerId, edit, (transaction) =>
    saveSettings(transaction, { ownerId, tag }, isNever ? { isNever } : {}),
  )
}

async function hasTag(db: Db, ownerId: number, tag: string) {
  const items = db.selectFrom('media_tags').select('media_id').where('owner_id', '=', ownerId).where('tag', '=', tag)
  return (await items.limit(1).executeTakeFirst()) !== undefined
}
