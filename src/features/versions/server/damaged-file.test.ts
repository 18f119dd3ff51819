import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { blobKey } from '#engines/storage/keys.ts'
import { makePng } from '#tests/support/pictures.ts'
import { onEveryStorage } from '#tests/support/storages.ts'
import { testApp } from '#tests/support/test-app.ts'

onEveryStorage('replacing a lost file with its own bytes brings it back', async (context, settings) => {
  const { services, register } = await testApp(context, settings)
  const ann = await register()
  const bytes = await makePng()
  const media = await ann.addPicture('a.png', bytes)
  const { blob } = await services.db.selectFrom('media').select('blob').executeTakeFirstOrThrow()
  await services.storage.remove(blob)
  assert.notEqual((await ann.get(media.originalUrl)).statusCode, 200)
  await services.db.updateTable('blobs').set({ state: 'missing' }).execute()
  assert.equal((await ann.replace(media.id, 'a.png', bytes)).statusCode, 200)
  assert.deepEqual((await ann.get(media.originalUrl)).rawPayload, bytes)
  assert.deepEqual(await services.db.selectFrom('blobs').select('state').execute(), [{ state: 'ok' }])
})

test('replacing a damaged file with its own bytes heals it and its sizes for visitors', async (context) => {
  const { services, directory, register, visitor } = await testApp(context)
  const ann = await register()
  const bytes = await makePng({ width: 400, height: 300 })
  const media = await ann.addPicture('a.png', bytes)
  const { publicUrlSlug } = (await ann.post(`/api/media/${media.id}/public`)).json()
  const { blob } = await services.db.selectFrom('media').select('blob').executeTakeFirstOrThrow()
  await writeFile(join(directory, blobKey(blob)), Buffer.alloc(bytes.length))
  const ask = (ending: string) => visitor().get(`/i/${publicUrlSlug}${ending}`)
  assert.equal((await ask('?w=320')).statusCode, 415)
  assert.equal((await ask('')).statusCode, 415)
  assert.equal((await ann.replace(media.id, 'a.png', bytes)).statusCode, 200)
  assert.equal((await ask('?w=320')).statusCode, 200)
  const whole = await ask('')
  assert.deepEqual([whole.statusCode, whole.headers['content-type']], [200, 'image/png'])
  assert.equal((await ann.get(`/api/media/${media.id}/versions`)).json().versions.length, 1)
})
