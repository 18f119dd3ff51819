import assert from 'node:assert/strict'
import { until } from '../../support/until.ts'
import { storedIn } from '../library.ts'
import type { World } from './world.ts'

const countOf = (condition: string) => `(SELECT count(*) FROM media WHERE owner_id = users.id AND ${condition})`

/** Each query finds invalid rows, on both databases. */
const neverThere: Record<string, string> = {
  'a counter of a person is wrong': `SELECT users.id, users.storage_used, users.media_count, users.trashed_count,
    users.image_count, users.favorite_count, users.collection_count FROM users WHERE
    storage_used <> (SELECT coalesce(sum(bytes), 0) FROM blobs WHERE sha256 IN (SELECT blob FROM media WHERE owner_id = users.id
        UNION SELECT blob FROM media_versions WHERE owner_id = users.id))
    OR media_count <> ${countOf('1 = 1')} OR trashed_count <> ${countOf('is_trashed = 1')}
    OR image_count <> ${countOf("is_trashed = 0 AND type = 'image'")}
    OR video_count <> ${countOf("is_trashed = 0 AND type = 'video'")}
    OR favorite_count <> ${countOf('is_trashed = 0 AND is_favorite = 1')}
    OR collection_count <> (SELECT count(*) FROM collections WHERE owner_id = users.id)`,
  'a counter of a collection is wrong': `SELECT id, media_count FROM collections WHERE media_count <>
    (SELECT count(*) FROM collection_media JOIN media ON media.id = media_id
      WHERE collection_id = collections.id AND is_trashed = 0)`,
  'a member is of another owner or time': `SELECT collection_id, media_id FROM collection_media
    JOIN media ON media.id = media_id JOIN collections ON collections.id = collection_id
    WHERE media.owner_id <> collections.owner_id OR media_created_at <> media.created_at`,
  'two members have one place': `SELECT collection_id, position, count(*) FROM collection_media
    GROUP BY collection_id, position HAVING count(*) > 1`,
  'bytes have another size': `SELECT media.id FROM media LEFT JOIN blobs ON sha256 = blob
    WHERE sha256 IS NULL OR bytes <> size OR state <> 'ok'`,
  'a version has other bytes or another owner': `SELECT media_versions.id FROM media_versions
    LEFT JOIN blobs ON sha256 = media_versions.blob LEFT JOIN media ON media.id = media_id
    WHERE bytes IS NULL OR bytes <> media_versions.size OR media.id IS NULL OR media.owner_id <> media_versions.owner_id
    OR (replaced_at IS NULL AND media.blob <> media_versions.blob)`,
  'a tag is of another owner': `SELECT media_id FROM media_tags JOIN media ON media.id = media_id
    WHERE media.owner_id <> media_tags.owner_id`,
  'two tags have one place': `SELECT media_id, position FROM media_tags GROUP BY media_id, position HAVING count(*) > 1`,
  'a tag is there and taken off': `SELECT media_id, tag FROM media_tags
    WHERE EXISTS (SELECT 1 FROM removed_tags WHERE removed_tags.media_id = media_tags.media_id AND removed_tags.tag = media_tags.tag)`,
  'an address leads nowhere': `SELECT kind, slug FROM slugs WHERE target_id NOT IN
    (SELECT id FROM media WHERE kind = 'media' UNION ALL SELECT id FROM collections WHERE kind = 'collection')`,
  'a public item has no address': `SELECT id, public_slug FROM media WHERE public_slug IS NOT NULL AND NOT EXISTS
    (SELECT 1 FROM slugs WHERE kind = 'media' AND slug = public_slug AND target_id = media.id)`,
  'a collection has no address': `SELECT id, public_slug FROM collections WHERE public_slug IS NOT NULL AND NOT EXISTS
    (SELECT 1 FROM slugs WHERE kind = 'collection' AND slug = public_slug AND target_id = collections.id)`,
  'the trash is not dated': `SELECT id FROM media WHERE (is_trashed = 1) <> (trashed_at IS NOT NULL)`,
  'an item waits without a job': `SELECT id, ai_status FROM media WHERE ai_status = 'waiting'`,
  'a description has no writer': `SELECT id FROM media WHERE ai_description IS NOT NULL AND ai_description_source IS NULL`,
  'a run goes on for ever': `SELECT kind FROM runs WHERE status IN ('running', 'stopping')`,
  'a row without its parent': `SELECT 'item of a run' AS what, media_id AS id FROM run_items WHERE media_id NOT IN (SELECT id FROM media)
    UNION ALL SELECT 'different', media_a FROM different_media WHERE media_a NOT IN (SELECT id FROM media) OR media_b NOT IN (SELECT id FROM media)
    UNION ALL SELECT 'sketch', media_id FROM sketches WHERE media_id NOT IN (SELECT id FROM media)
    UNION ALL SELECT 'analysis', media_id FROM media_analyses WHERE media_id NOT IN (SELECT id FROM media)
    UNION ALL SELECT 'failure', media_id FROM ai_failures WHERE media_id NOT IN (SELECT id FROM media)
    UNION ALL SELECT 'source', media_id FROM scraped_sources WHERE media_id NOT IN (SELECT id FROM media)
    UNION ALL SELECT 'session', user_id FROM sessions WHERE user_id NOT IN (SELECT id FROM users)
    UNION ALL SELECT 'item', id FROM media WHERE owner_id NOT IN (SELECT id FROM users)`,
  'a change counts other items than it had': `SELECT id, total FROM runs WHERE total < 1
    OR total < (SELECT count(*) FROM run_items WHERE run_id = runs.id)`,
  'a job has failed': `SELECT kind, error FROM jobs WHERE status = 'failed'`,
}

const documents = 'SELECT count(*) AS found, (SELECT count(*) FROM media) AS items FROM search_documents'

/** Waits until no work is running. */
export async function untilQuiet(world: World) {
  const now = () => `SELECT count(*) AS left_over FROM jobs WHERE status = 'active'
    OR (status = 'waiting' AND (run_at <= ${Date.now()} OR attempts > 0))`
  const isQuiet = async () => (await world.query(now()))[0]!.left_over === 0
  await until('all jobs are done', isQuiet, { withinMs: 90_000 }).catch(async (error) => {
    error.message += JSON.stringify(await world.query('SELECT * FROM jobs'))
    throw error
  })
}

export async function checkStored(world: World) {
  for (const [fault, query] of Object.entries(neverThere)) {
    assert.deepEqual(await world.query(query), [], fault)
  }
  const [counted] = await world.query(documents)
  assert.equal(counted!.found, counted!.items, 'each item has one search document')
  if (!world.isPostgres) assert.deepEqual(await world.query('PRAGMA foreign_key_check'), [])
}

const inUse = 'SELECT blob FROM media UNION SELECT blob FROM media_versions'
const atImageKit = `SELECT blob FROM imagekit_objects WHERE kind = 'original' AND state = 'kept'`

/** On SQLite and a disk, the start removes all leftover files. */
export async function untilTidy(world: World) {
  let left = ''
  const isTidy = async () => {
    const { blobs, unfinished } = await storedIn(world.library.directory)
    const [wanted, far] = [await blobsOf(world, inUse), await blobsOf(world, atImageKit)]
    const [tooMany, missing] = [blobs.difference(wanted), wanted.difference(blobs).difference(far)]
    left = `unfinished ${unfinished}; orphaned ${[...tooMany]}; missing ${[...missing]}`
    return unfinished.length + tooMany.size + missing.size === 0
  }
  await until('no file is left that no item has', isTidy, { withinMs: 60_000 }).catch(async (error) => {
    error.message += ` (${left})`
    throw error
  })
}

const blobsOf = async (world: World, query: string) =>
  new Set((await world.query(query)).map(({ blob }) => blob as string))
