import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeJpeg } from '#tests/support/pictures.ts'
import { withSharedCollection } from './sharing.fixture.ts'

test('a header image and a cut tile keep the focal point in view, also after it was changed', async (context) => {
  const { ann, visitor, id, slug } = await withSharedCollection(context, { count: 0 })
  const panorama = await ann.addPicture('panorama.jpg', await makeJpeg({ width: 600, height: 100 }))
  await ann.post(`/api/collections/${id}/media/${panorama.id}`)
  const headerImage = new URL(panorama.originalUrl, 'http://a').pathname
  await ann.patch(`/api/collections/${id}/branding`, { headerImage })
  const style = async () => (await visitor.get(`/public/collections/${slug}/style.css`)).body
  assert.doesNotMatch(await style(), /object-position/, 'without a focal point the center is shown')
  await ann.patch(`/api/media/${panorama.id}`, { focalPoint: { x: 0.2, y: 0.5 } })
  assert.match(await style(), /\.pub-header-image\{object-position:clamp\(100%,50% \+ 0\.3\*max\(100vw,40vh\*6\),0%\)/)
  assert.match(await style(), /\.pub-c0 img\{object-position:0% 50%\}/)
  await ann.patch(`/api/media/${panorama.id}`, { focalPoint: { x: 1, y: 0.5 } })
  assert.match(await style(), /\.pub-c0 img\{object-position:100% 50%\}/)
  const { collection, media } = (await visitor.get(`/api/public/collections/${slug}`)).json()
  assert.deepEqual(media[0].focalPoint, { x: 1, y: 0.5 }, 'other websites can crop as well')
  assert.ok(collection.customBranding.headerImage)
})

test("another user's item in a header image reveals no focal point", async (context) => {
  const { product, ann, visitor, id, slug } = await withSharedCollection(context, { count: 0 })
  const bob = await product.register()
  const his = await bob.addPicture('his.jpg', await makeJpeg({ width: 600, height: 100 }))
  await bob.patch(`/api/media/${his.id}`, { focalPoint: { x: 0.2, y: 0.5 } })
  const branding = JSON.stringify({ headerImage: new URL(his.originalUrl, 'http://a').pathname })
  await product.services.db.updateTable('collections').set({ branding }).where('id', '=', id).execute()
  assert.equal((await ann.get(`/api/collections/${id}`)).statusCode, 200)
  assert.doesNotMatch((await visitor.get(`/public/collections/${slug}/style.css`)).body, /object-position/)
})
