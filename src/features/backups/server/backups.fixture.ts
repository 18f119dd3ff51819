import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { TestApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import type { Backup } from '../contract.ts'
import { libraryTables } from './library/library-document.ts'

/** A library with data in every table that users can fill. */
export async function fill(product: TestApp) {
  const admin = await product.register()
  const other = await product.register()
  const first = await admin.addPicture('Überblick "1".jpg')
  const second = await other.addPicture('second.jpg')
  await admin.patch(`/api/media/${first.id}`, {
    userDescription: 'Zeile\nzwei 🎞',
    aiTags: ['sea', 'dog', 'draft'],
    focalPoint: { x: 0.3, y: 0.2 },
    title: 'Überblick',
    altTexts: { en: 'A pier', de: 'Ein Steg' },
    creator: 'Ann',
  })
  await admin.patch('/api/tags/sea', { color: 'teal' })
  await admin.patch('/api/tags/watermark', { isNever: true })
  await admin.post('/api/media/bulk-remove-tags', { mediaIds: [first.id], tags: ['draft'] })
  await admin.post('/api/tags/suggestions/dismiss', { tags: ['sea', 'ocean'] })
  await admin.post(`/api/media/${first.id}/public`)
  await admin.post('/api/presets', { name: 'wide', width: 900 })
  const copy = (await admin.post(`/api/media/${first.id}/copy`)).json()
  await admin.post('/api/media/duplicates/dismissals', { mediaIds: [first.id, copy.id] })
  await other.post('/api/media/bulk-trash', { mediaIds: [second.id] })
  const { id } = (await admin.post('/api/collections', { name: 'Summer' })).json()
  await admin.post(`/api/collections/${id}/media/${first.id}`)
  await admin.patch(`/api/collections/${id}/visibility`, { isPublic: true })
  await product.settled()
  return { admin, other, first, second, collectionId: id as number }
}

/** Every row of the library, and the hash of every item's bytes as its owner gets them. */
export async function everything({ services }: TestApp) {
  const rows: Record<string, unknown[]> = {}
  for (const { name, key } of libraryTables) {
    const { rows: found } = await sql<
      Record<string, unknown>
    >`SELECT * FROM ${sql.table(name)} ORDER BY ${sql.join(key.map((column) => sql.ref(column)))}`.execute(services.db)
    rows[name] = ['sketches', 'seen'].includes(name) ? found.map(({ id: _id, ...row }) => row) : found
  }
  const bytes: Record<string, string> = {}
  for (const { blob } of await services.db.selectFrom('media').select('blob').execute()) {
    const hash = createHash('sha256')
    for await (const chunk of (await services.storage.open(blob)).stream) hash.update(chunk)
    bytes[blob] = hash.digest('hex')
    assert.equal(bytes[blob], blob)
  }
  return { rows, bytes }
}

export async function makeBackup(admin: TestUser): Promise<Backup> {
  const answer = await admin.post('/api/admin/backups/create')
  assert.equal(answer.statusCode, 201, answer.body)
  return answer.json().backup
}

export async function restore(product: TestApp, admin: TestUser, id: string) {
  const answer = await admin.post(`/api/admin/backups/${id}/restore`)
  assert.equal(answer.statusCode, 200, answer.body)
  await product.settled()
  return (await admin.get('/api/admin/backups/restore-progress')).json()
}

/** Removes all bytes from the library, as after their retention time. */
export async function removeAllBytes({ services }: TestApp) {
  for await (const { sha256 } of services.storage.list()) await services.storage.remove(sha256)
}
