import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Media } from '#features/media/contract.ts'
import { picture } from '#tests/support/pictures.ts'
import { isOnPostgres } from '#tests/support/postgres.ts'
import { type TestApp, testApp } from '#tests/support/test-app.ts'

/** The database refuses to note the second step of any run, as if the process ended just there. */
async function breakSecondStep({ services: { db } }: TestApp) {
  if (!isOnPostgres) {
    await sql`CREATE TRIGGER broken BEFORE UPDATE ON bulk_runs WHEN NEW.position = 2
      BEGIN SELECT RAISE(ABORT, 'broken'); END`.execute(db)
    return () => sql`DROP TRIGGER broken`.execute(db)
  }
  await sql`CREATE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'broken'; END $$`.execute(db)
  await sql`CREATE TRIGGER broken BEFORE UPDATE ON bulk_runs FOR EACH ROW WHEN (NEW.position = 2)
    EXECUTE FUNCTION broken()`.execute(db)
  return () => sql`DROP TRIGGER broken ON bulk_runs`.execute(db)
}

for (const deleteOriginal of [false, true]) {
  test(`a run that breaks off is taken up again and converts nothing twice (deleteOriginal: ${deleteOriginal})`, async (context) => {
    const product = await testApp(context)
    const { services } = product
    const ann = await product.register()
    const originals: Media[] = []
    for (const name of ['one.jpg', 'two.jpg', 'three.jpg'])
      originals.push(await ann.addPicture(name, await picture(300, 200).jpeg({ quality: 95 }).toBuffer()))
    const mediaIds = originals.map(({ id }) => id)
    const mend = await breakSecondStep(product)
    const converting = ann.post('/api/media/bulk-convert-webp', { mediaIds, quality: 60, deleteOriginal })
    // The job has failed once when it waits with an attempt behind it.
    for (;;) {
      await services.jobs.idle()
      const job = await services.db
        .selectFrom('jobs')
        .selectAll()
        .where('kind', '=', 'bulk-convert-webp')
        .executeTakeFirst()
      if (job?.error) break
    }
    await mend()
    await services.db.updateTable('jobs').set({ run_at: 0 }).where('kind', '=', 'bulk-convert-webp').execute()
    await services.jobs.idle()
    const answer = (await converting).json()
    assert.deepEqual(answer.summary, { successful: 3, failed: 0 })
    const { media } = (await ann.get('/api/media')).json() as { media: Media[] }
    const converted = media.filter(({ mimeType }) => mimeType === 'image/webp')
    assert.deepEqual(converted.map(({ filename }) => filename).sort(), ['one.webp', 'three.webp', 'two.webp'])
    assert.equal(media.length, deleteOriginal ? 3 : 6)
    assert.equal(answer.savedBytes, bytesOf(originals) - bytesOf(converted), 'each is counted once')
  })
}

const bytesOf = (media: Media[]) => media.reduce((sum, { size }) => sum + size, 0)
