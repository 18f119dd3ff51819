import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeJpeg } from '#tests/support/pictures.ts'
import { testApp } from '#tests/support/test-app.ts'

test('an uploaded picture is in the library with its facts, and comes back byte for byte', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const bytes = await makeJpeg({ width: 120, height: 80 })
  const answer = await ann.upload([{ name: 'beach.jpg', bytes }])
  assert.equal(answer.statusCode, 201, answer.body)
  const [media] = answer.json().media
  assert.deepEqual(
    [media.filename, media.mimeType, media.type, media.width, media.height, media.size],
    ['beach.jpg', 'image/jpeg', 'image', 120, 80, bytes.length],
  )
  const original = await ann.get(media.originalUrl)
  assert.equal(original.statusCode, 200, original.body)
  assert.deepEqual(original.rawPayload, bytes)
  const thumbnail = await ann.get(media.thumbnailUrl)
  assert.equal(thumbnail.headers['content-type'], 'image/webp')
  const list = (await ann.get('/api/media')).json()
  assert.equal(list.pagination.totalCount, 1)
  assert.equal((await ann.get('/api/media?search=eac')).json().media[0].id, media.id)
  assert.equal((await ann.get('/api/media?search=be')).json().media[0].id, media.id)
  assert.equal((await ann.get('/api/media?search=nothing')).json().media.length, 0)
})

test('numbers of custom naming go on across the requests of one selection', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const send = async (names: string[], fields: Record<string, string>) => {
    const files = await Promise.all(names.map(async (name) => ({ name, bytes: await makeJpeg() })))
    const answer = await ann.upload(files, { useCustomNaming: 'true', uploadPrefix: 'summer', ...fields })
    assert.equal(answer.statusCode, 201, answer.body)
    return answer.json().media.map(({ filename }: { filename: string }) => filename)
  }
  assert.deepEqual(await send(['a.jpg', 'b.jpg'], {}), ['summer-a-1.jpg', 'summer-b-2.jpg'])
  assert.deepEqual(await send(['c.jpg', 'd.jpg'], { sequenceStart: '3' }), ['summer-c-3.jpg', 'summer-d-4.jpg'])
})
