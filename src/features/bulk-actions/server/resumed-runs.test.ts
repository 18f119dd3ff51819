import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Media } from '#features/media/contract.ts'
import { picture } from '#tests/support/pictures.ts'
import { isOnPostgres } from '#tests/support/postgres.ts'
import { insertManyMedia } from '#tests/support/seed-library.ts'
import { type TestApp, testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import type { RunUnderWay } from '../contract.ts'

/** The database refuses one change, as if the process had ended there. */
async function breakUpdates({ services: { db } }: TestApp, table: string, condition: string) {
  const [name, when] = [sql.table(table), sql.raw(condition)]
  if (!isOnPostgres) {
    await sql`CREATE TRIGGER broken BEFORE UPDATE ON ${name} WHEN ${when}
      BEGIN SELECT RAISE(ABORT, 'broken'); END`.execute(db)
    return () => sql`DROP TRIGGER broken`.execute(db)
  }
  await sql`CREATE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'broken'; END $$`.execute(db)
  await sql`CREATE TRIGGER broken BEFORE UPDATE ON ${name} FOR EACH ROW WHEN (${when})
    EXECUTE FUNCTION broken()`.execute(db)
  return () => sql`DROP TRIGGER broken ON ${name}`.execute(db)
}

for (const deleteOriginal of [false, true]) {
  test(`an interrupted run is resumed and converts nothing twice (deleteOriginal: ${deleteOriginal})`, async (context) => {
    const product = await testApp(context)
    const { services } = product
    const ann = await product.register()
    const originals: Media[] = []
    for (const name of ['one.jpg', 'two.jpg', 'three.jpg'])
      originals.push(await ann.addPicture(name, await picture(300, 200).jpeg({ quality: 95 }).toBuffer()))
    const mediaIds = originals.map(({ id }) => id)
    const repair = await breakUpdates(product, 'run_items', "NEW.position = 1 AND NEW.state = 'done'")
    const converting = ann.post('/api/media/bulk-convert-webp', { mediaIds, quality: 60, deleteOriginal })
    // The job has failed once when it waits with an error.
    for (;;) {
      await services.jobs.idle()
      const job = await services.db
        .selectFrom('jobs')
        .selectAll()
        .where('kind', '=', 'bulk-convert-webp')
        .executeTakeFirst()
      if (job?.error) break
    }
    const [run, ...others] = await underWayOf(ann)
    assert.deepEqual([run?.title, run?.done, run?.total, others], ['Convert to WebP', 1, 3, []])
    assert.deepEqual(await underWayOf(await product.register()), [], 'other users do not see the run')
    await repair()
    await services.db.updateTable('jobs').set({ run_at: 0 }).where('kind', '=', 'bulk-convert-webp').execute()
    await services.jobs.idle()
    const answer = (await converting).json()
    assert.deepEqual(answer.summary, { successful: 3, failed: 0 })
    const { media } = (await ann.get('/api/media')).json() as { media: Media[] }
    const converted = media.filter(({ mimeType }) => mimeType === 'image/webp')
    assert.deepEqual(converted.map(({ filename }) => filename).sort(), ['one.webp', 'three.webp', 'two.webp'])
    assert.equal(media.length, deleteOriginal ? 3 : 6)
    const told = deleteOriginal
      ? /^3 images replaced, .* saved\. Originals are kept as versions for 30 days\.$/
      : /^3 WebP copies added, .* smaller than their originals\.$/
    assert.match(answer.message, told)
    assert.equal(answer.savedBytes, bytesOf(originals) - bytesOf(converted), 'each is counted once')
    assert.deepEqual(await underWayOf(ann), [])
  })
}

/** The runs shown to a user who returns while they continue in the background. */
const underWayOf = async (person: TestUser): Promise<RunUnderWay[]> =>
  (await person.get('/api/history')).json().underWay

const bytesOf = (media: Media[]) => media.reduce((sum, { size }) => sum + size, 0)

test('an interrupted undo that is requested again does the rest', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const mediaIds = await insertManyMedia(product.services.db, ann.id, 205)
  const { changeId } = (await ann.post('/api/media/bulk-rename', { mediaIds, baseName: 'New' })).json()
  const repair = await breakUpdates(product, 'media', `NEW.id = ${mediaIds.at(-1)}`)
  assert.equal((await ann.post(`/api/history/${changeId}/undo`)).statusCode, 500)
  await repair()
  assert.equal((await ann.get('/api/history')).json().changes[0].undoneAt, null)
  const { undone, kept } = (await ann.post(`/api/history/${changeId}/undo`)).json()
  assert.deepEqual([undone, kept], [5, 0], 'items that were already restored do not count as changed')
  assert.equal((await ann.get('/api/media?search=new')).json().media.length, 0)
  assert.equal((await ann.post(`/api/history/${changeId}/undo`)).statusCode, 409)
})

test('a partly reverted AI rename is reverted completely by the next attempt', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const mediaIds = await insertManyMedia(product.services.db, ann.id, 30)
  const { id } = (await ann.post('/api/collections', { name: 'Shoes' })).json()
  for (const mediaId of mediaIds) await ann.post(`/api/collections/${id}/media/${mediaId}`)
  const { runId } = (await ann.post(`/api/collections/${id}/ai-rename`, { company: 'Acme' })).json()
  const repair = await breakUpdates(product, 'media', `NEW.id = ${mediaIds.at(-1)}`)
  assert.equal((await ann.post(`/api/ai-runs/${runId}/revert`)).statusCode, 500)
  await repair()
  assert.equal((await ann.post(`/api/ai-runs/${runId}/revert`)).json().reverted, 5)
  assert.equal((await ann.get('/api/media?search=acme')).json().media.length, 0)
  assert.equal((await ann.post(`/api/ai-runs/${runId}/revert`)).statusCode, 409)
})
