import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import { findSlugTarget } from './slugs.ts'

test('a public address is made from the name, is stable, and can be removed and restored', async (context) => {
  const { register } = await testApp(context, { PUBLIC_URL: 'https://photos.example.com/' })
  const ann = await register()
  const media = await ann.addPicture('Été à la plage.jpg')
  const made = (await ann.post(`/api/media/${media.id}/public`)).json()
  assert.match(made.publicUrlSlug, /^ete-a-la-plage-[a-z0-9]{6}$/)
  assert.equal(made.publicUrl, `https://photos.example.com/public/${made.publicUrlSlug}`)
  assert.equal(made.media.publicUrl, made.publicUrl)
  assert.equal((await ann.post(`/api/media/${media.id}/public`)).json().publicUrl, made.publicUrl)
  const hidden = (await ann.delete(`/api/media/${media.id}/public`)).json()
  assert.deepEqual([hidden.publicUrl, hidden.publicUrlSlug], [null, null])
  assert.equal((await ann.post(`/api/media/${media.id}/public`)).json().publicUrl, made.publicUrl)
  for (const publicUrlSlug of ['zebra', made.publicUrlSlug, 'ant']) {
    await ann.patch(`/api/media/${media.id}/public-url`, { publicUrlSlug })
    await ann.delete(`/api/media/${media.id}/public`)
    const again = (await ann.post(`/api/media/${media.id}/public`)).json()
    assert.equal(again.publicUrlSlug, publicUrlSlug, 'its last address')
  }
  const other = await ann.addPicture('Été à la plage.jpg')
  assert.notEqual((await ann.post(`/api/media/${other.id}/public`)).json().publicUrlSlug, made.publicUrlSlug)
  const nameless = await ann.addPicture('海.jpg')
  assert.match((await ann.post(`/api/media/${nameless.id}/public`)).json().publicUrlSlug, /^media-[a-z0-9]{6}$/)
})

test('a chosen address is filtered, 3 to 50 characters long and unique, and the old one still redirects', async (context) => {
  const { register, services } = await testApp(context)
  const [ann, bob] = [await register(), await register()]
  const media = await ann.addPicture('one.jpg')
  const his = await bob.addPicture('his.jpg')
  const first = (await ann.post(`/api/media/${media.id}/public`)).json().publicUrlSlug
  const rename = (user: TestUser, id: number, publicUrlSlug: unknown) =>
    user.patch(`/api/media/${id}/public-url`, { publicUrlSlug })
  const early = await rename(bob, his.id, 'his-own')
  assert.deepEqual(
    [early.statusCode, early.json().message],
    [409, 'This item is not public. Create a public URL first.'],
  )
  assert.equal((await bob.get(`/api/media/${his.id}`)).json().publicUrl, null, 'renaming does not publish an item')
  await bob.post(`/api/media/${his.id}/public`)
  const renamed = await rename(ann, media.id, ' My_Beach-2024! ')
  assert.equal(renamed.statusCode, 200, renamed.body)
  assert.equal(renamed.json().publicUrlSlug, 'mybeach-2024')
  assert.match(renamed.json().publicUrl, /\/public\/mybeach-2024$/)
  for (const slug of ['ab', '', '!!!', 'x'.repeat(51), 5, null])
    assert.equal((await rename(ann, media.id, slug)).statusCode, 400, String(slug))
  const reserved = await rename(ann, media.id, 'collections')
  assert.deepEqual([reserved.statusCode, reserved.json().field], [400, 'publicUrlSlug'])
  for (const slug of ['abc', 'x'.repeat(50)]) assert.equal((await rename(ann, media.id, slug)).statusCode, 200)
  for (const taken of ['mybeach-2024', first, 'abc']) {
    const answer = await rename(bob, his.id, taken)
    assert.equal(answer.statusCode, 409, taken)
    assert.deepEqual([answer.json().code, answer.json().field], ['conflict', 'publicUrlSlug'])
    assert.equal(await findSlugTarget(services.db, 'media', taken), media.id)
  }
  assert.equal((await rename(ann, media.id, 'mybeach-2024')).statusCode, 200, 'the previous address can be used again')
  const [one, two] = await Promise.all([rename(ann, media.id, 'at-once'), rename(bob, his.id, 'at-once')])
  assert.deepEqual([one.statusCode, two.statusCode].sort(), [200, 409])
})
