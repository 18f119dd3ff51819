import { randomUUID } from 'node:crypto'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { SlugKind } from '#features/media/server/tables.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import { copyManyMedia } from './seed-library.ts'

/** The ids of one record of each kind that a user can own; two media, for calls that take several. */
export type OwnedRecords = {
  media: number[]
  /** An earlier file of the first of them. */
  version: number
  collection: number
  website: number
  change: number
  dismissal: string
  aiRun: string
  bulkRun: string
  download: string
  scrapeRun: number
  audit: number
  /** The ids of all runs. */
  runs: number[]
}

/** Ids that no record has. */
export const missingRecords: OwnedRecords = {
  media: [900_000_001, 900_000_002],
  version: 900_000_007,
  collection: 900_000_003,
  website: 900_000_008,
  change: 900_000_004,
  dismissal: '00000000-0000-4000-8000-000000000001',
  aiRun: '00000000-0000-4000-8000-000000000002',
  bulkRun: '00000000-0000-4000-8000-000000000003',
  download: '00000000-0000-4000-8000-000000000004',
  scrapeRun: 900_000_005,
  audit: 900_000_009,
  runs: [900_000_006],
}

type Picture = { id: number; owner_id: number }

/** Adds one record of each kind, `count` times, for the picture's owner; none of the runs is in progress. */
export async function addOwnedRecords(db: Kysely<Tables>, picture: Picture, count: number): Promise<OwnedRecords[]> {
  const copies = await copyManyMedia(db, picture.id, 2 * count)
  return db.transaction().execute(async (transaction) => {
    const all: OwnedRecords[] = []
    while (copies.length > 0) all.push(await addOneOfEach(transaction, picture.owner_id, copies.splice(0, 2)))
    return all
  })
}

async function addOneOfEach(db: Db, owner_id: number, media: number[]): Promise<OwnedRecords> {
  const created_at = Date.now()
  const media_id = media[0]
  const [dismissal, aiRun, bulkRun, download] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
  const add = (table: keyof Tables, values: object) => db.insertInto(table).values(values as never)
  const addNumbered = async (table: 'websites' | 'collections' | 'runs', values: object) =>
    (
      await add(table, { owner_id, created_at, ...values })
        .returning('id')
        .executeTakeFirstOrThrow()
    ).id as number

  const version = await addVersion(db, media_id!)
  const name = `Website ${media_id}`
  const client = { name, name_key: name.toLowerCase(), languages: '["en"]', updated_at: created_at }
  const website = await addNumbered('websites', client)
  const linked = { name: 'Summer', company: name, website_id: website, updated_at: created_at }
  const collection = await addNumbered('collections', linked)
  const membership = { collection_id: collection, media_id, media_created_at: created_at, added_at: created_at }
  await add('collection_media', { ...membership, position: 1 }).execute()
  const [media_a, media_b] = media
  await add('different_media', { media_a, media_b, dismissal, owner_id, created_at }).execute()
  const addRun = (values: object) => addNumbered('runs', { updated_at: created_at, options: '{}', total: 1, ...values })
  const tagging = await addRun({ key: aiRun, kind: 'ai-tag-run', status: 'ended', options: '{"review":true}' })
  await add('run_items', { run_id: tagging, position: 0, media_id, state: 'found', output: proposal }).execute()
  const change = await addRun({ kind: 'rename', title: 'Renamed', status: 'ended' })
  const renamed = { media_id, input: 'a.jpg', output: 'b.jpg', state: 'done' }
  await add('run_items', { run_id: change, position: 0, ...renamed }).execute()
  const conversion = await addRun({ key: bulkRun, kind: 'bulk-convert-webp', status: 'running' })
  await add('run_items', { run_id: conversion, position: 0, input: String(media_id), state: 'waiting' }).execute()
  const chosen = { owner_id, created_at, media_ids: JSON.stringify(media) }
  await add('prepared_downloads', { ...chosen, id: download }).execute()
  const scrapeRun = await addRun({ kind: 'scrape-run', options: scrapeOptions, status: 'ended' })
  await add('run_items', { run_id: scrapeRun, position: 0, ...failedImage }).execute()
  const audit = await addRun({ kind: 'audit-run', options: auditOptions, status: 'stopped' })
  await add('run_items', { run_id: audit, position: 0, input: auditedPage, state: 'waiting' }).execute()
  const runs = [tagging, change, conversion, scrapeRun, audit]
  return { media, version, collection, website, change, dismissal, aiRun, bulkRun, download, scrapeRun, audit, runs }
}

/** The same bytes twice: the current file and an earlier one. Returns the id of the earlier one. */
async function addVersion(db: Db, media_id: number) {
  const { owner_id, filename, mime_type, blob, size } = await db
    .selectFrom('media')
    .selectAll()
    .where('id', '=', media_id)
    .executeTakeFirstOrThrow()
  const file = { media_id, owner_id, filename, mime_type, blob, size, made_by: owner_id, made_at: 1 }
  const insert = (values: { cause: 'upload' | 'edit'; replaced_at: number | null }) =>
    db
      .insertInto('media_versions')
      .values({ ...file, ...values })
      .returning('id')
      .executeTakeFirstOrThrow()
  const earlier = await insert({ cause: 'upload', replaced_at: 2 })
  await insert({ cause: 'edit', replaced_at: null })
  return earlier.id
}

const finding = { title: 'Beach', description: 'A beach', tags: [], text: '' }
const proposal = JSON.stringify({ ...finding, provider: 'local', model: 'm', version: '1', shortfall: null })
const scrapeOptions = JSON.stringify({ source: 'urls', pageUrl: null })
const auditOptions = JSON.stringify({ website: '127.0.0.1', isTruncated: false })
const auditedPage = JSON.stringify({ url: 'http://127.0.0.1/' })
const image = { address: 'http://127.0.0.1/a.jpg', alternatives: [], name: 'a', alt: '', context: '' }
const failedImage = { input: JSON.stringify(image), state: 'failed', error: 'Gone', turn: 1 }

/** Reads every row of every table that names the user or one of the records. */
export async function createRowReader(db: Kysely<Tables>, ownerId: number, theirs: OwnedRecords) {
  const naming = columnsNaming(ownerId, theirs)
  const tables = (await db.introspection.getTables()).flatMap(({ name, columns }) => {
    const fitting = columns.flatMap((column) => naming[`${name}.${column.name}`] ?? naming[column.name] ?? [])
    return fitting.length > 0
      ? [{ name: name as 'media', isTheirs: sql<boolean>`${sql.join(fitting, sql` OR `)}` }]
      : []
  })
  return async () => {
    const found: Record<string, unknown> = {}
    for (const { name, isTheirs } of tables) {
      const rows = await db.selectFrom(name).selectAll().where(isTheirs).execute()
      // Sorted, because a database promises no order.
      found[name] = rows.map((row) => JSON.stringify(row)).sort()
    }
    return found
  }
}

/** For a column, in one table (`table.column`) or in all tables, the condition that a row belongs to the user. */
function columnsNaming(ownerId: number, { media, collection, website, dismissal, aiRun, runs }: OwnedRecords) {
  const isOneOf = (column: string, ids: (number | string)[]) => sql`${sql.ref(column)} IN (${sql.join(ids)})`
  const isOfKind = (kind: SlugKind, ids: number[]) => sql`(kind = ${kind} AND ${isOneOf('target_id', ids)})`
  const naming: Record<string, RawBuilder<unknown>> = {
    'users.id': isOneOf('id', [ownerId]),
    owner_id: isOneOf('owner_id', [ownerId]),
    user_id: isOneOf('user_id', [ownerId]),
    media_id: isOneOf('media_id', media),
    media_a: isOneOf('media_a', media),
    media_b: isOneOf('media_b', media),
    cover_media_id: isOneOf('cover_media_id', media),
    collection_id: isOneOf('collection_id', [collection]),
    website_id: isOneOf('website_id', [website]),
    dismissal: isOneOf('dismissal', [dismissal]),
    run_key: isOneOf('run_key', [aiRun]),
    'run_items.run_id': isOneOf('run_id', runs),
    target_id: sql`(${isOfKind('media', media)} OR ${isOfKind('collection', [collection])})`,
  }
  return naming
}
