import assert from 'node:assert/strict'
import { chunksOf } from '#shared/chunks.ts'
import { seedLibrary } from '#tests/support/library.ts'
import { onOneDatabase } from '#tests/support/postgres.ts'
import { withImageKit } from './imagekit.fixture.ts'

onOneDatabase('a library that is at ImageKit already is gone through in no time', async (context) => {
  const { product, admin, migrate } = await withImageKit(context)
  const { db } = product.services
  const created_at = Date.now()
  const blobs = Array.from({ length: 6000 }, (_, index) => index.toString(16).padStart(64, '0'))
  for (const part of chunksOf(blobs, 500)) {
    await db
      .insertInto('blobs')
      .values(part.map((sha256) => ({ sha256, bytes: 1, created_at })))
      .execute()
    const object = { kind: 'original', state: 'kept', media_id: null, file_path: '/a', bytes: 1, created_at } as const
    await db
      .insertInto('imagekit_objects')
      .values(part.map((blob) => ({ ...object, blob, folder: `/albumen/${blob}` })))
      .execute()
  }
  await seedLibrary(
    product.services,
    admin.id,
    blobs.map((blob) => ({ blob })),
  )
  const begunAt = performance.now()
  const { migrated, copies } = await migrate()
  assert.deepEqual([migrated, copies], [0, blobs.length])
  // Milliseconds, where each item was once compared with each file there: a quarter of a minute, in which nobody was served.
  assert.ok(performance.now() - begunAt < 5000)
})
