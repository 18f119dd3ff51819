import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import { copyManyMedia } from './many-media.ts'

/** What one person can have that has an id; of media there are two, for calls that want several. */
export type Belongings = {
  media: number[]
  collection: number
  change: number
  dismissal: string
  aiRun: string
  bulkRun: string
  download: string
  scrapeRun: number
}

/** Of nobody. */
export const nowhere: Belongings = {
  media: [900_000_001, 900_000_002],
  collection: 900_000_003,
  change: 900_000_004,
  dismissal: '00000000-0000-4000-8000-000000000001',
  aiRun: '00000000-0000-4000-8000-000000000002',
  bulkRun: '00000000-0000-4000-8000-000000000003',
  download: '00000000-0000-4000-8000-000000000004',
  scrapeRun: 900_000_005,
}

type Picture = { id: number; owner_id: number }

/** One of everything, `count` times, for whom the picture belongs to; nothing of it is under way. */
export async function addBelongings(db: Kysely<Tables>, picture: Picture, count: number): Promise<Belongings[]> {
  const copies = await copyManyMedia(db, picture.id, 2 * count)
  return db.transaction().execute(async (transaction) => {
    const all: Belongings[] = []
    while (copies.length > 0) all.push(await addOneOfEach(transaction, picture.owner_id, copies.splice(0, 2)))
    return all
  })
}

async function addOneOfEach(db: Db, owner_id: number, media: number[]): Promise<Belongings> {
  const created_at = Date.now()
  const [media_id, run] = [media[0], { owner_id, created_at, updated_at: created_at }]
  const [dismissal, aiRun, bulkRun, download] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
  const add = (table: keyof Tables, values: object) => db.insertInto(table).values(values as never)
  const addNumbered = async (table: 'collections' | 'changes' | 'scrape_runs', values: object) =>
    (
      await add(table, { owner_id, created_at, ...values })
        .returning('id')
        .executeTakeFirstOrThrow()
    ).id as number

  const collection = await addNumbered('collections', { name: 'Summer', updated_at: created_at })
  const membership = { collection_id: collection, media_id, media_created_at: created_at, added_at: created_at }
  await add('collection_media', { ...membership, position: 1 }).execute()
  const change = await addNumbered('changes', { kind: 'rename', title: 'Renamed', item_count: 1 })
  await add('change_items', { change_id: change, media_id, before_value: 'a.jpg', after_value: 'b.jpg' }).execute()
  const [media_a, media_b] = media
  await add('different_media', { media_a, media_b, dismissal, owner_id, created_at }).execute()
  await add('ai_runs', { ...run, id: aiRun, kind: 'tag', status: 'review', is_review: 1, total: 1 }).execute()
  await add('ai_run_items', { run_id: aiRun, media_id, position: 1, state: 'found', proposal }).execute()
  const chosen = { ...run, media_ids: JSON.stringify(media), options: '{}', outcome: '{}' }
  await add('bulk_runs', { ...chosen, id: bulkRun, kind: 'convert', status: 'running' }).execute()
  await add('bulk_runs', { ...chosen, id: download, kind: 'download', status: 'done' }).execute()
  const ended = { kind: 'urls', status: 'complete', total: 1, finished_at: created_at }
  const scrapeRun = await addNumbered('scrape_runs', ended)
  await add('scrape_items', { run_id: scrapeRun, ...failedImage }).execute()
  return { media, collection, change, dismissal, aiRun, bulkRun, download, scrapeRun }
}

const finding = { title: 'Beach', description: 'A beach', tags: [], text: '' }
const proposal = JSON.stringify({ ...finding, provider: 'local', model: 'm', version: '1', shortfall: null })
const image = {
  address: 'http://127.0.0.1/a.jpg',
  address_key: 'k',
  alternatives: '[]',
  name: 'a',
  alt: '',
  context: '',
}
const failedImage = { ...image, status: 'failed', finished_turn: 1 }

/** Reads what belongs to somebody, in every table that names them or one of these things. */
export async function createRowReader(db: Kysely<Tables>, ownerId: number, theirs: Belongings) {
  const { media, collection, change, aiRun, scrapeRun } = theirs
  const keys: Record<string, unknown[]> = {
    owner_id: [ownerId],
    user_id: [ownerId],
    media_id: media,
    collection_id: [collection],
    change_id: [change],
    run_id: [aiRun, scrapeRun],
    target_id: [...media, collection],
  }
  const tables = (await db.introspection.getTables()).flatMap(({ name, columns }) => {
    const key = name === 'users' ? 'id' : columns.find((column) => column.name in keys)?.name
    return key ? [{ name: name as 'media', key: key as 'id', values: (keys[key] ?? [ownerId]) as number[] }] : []
  })
  return async () => {
    const found: Record<string, unknown> = {}
    for (const { name, key, values } of tables)
      found[name] = await db.selectFrom(name).selectAll().where(key, 'in', values).execute()
    return found
  }
}
