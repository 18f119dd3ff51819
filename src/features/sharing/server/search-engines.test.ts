import assert from 'node:assert/strict'
import { test } from 'node:test'
import { elementsOf, previewOf } from './page-elements.fixture.ts'
import { addCopies, withSharedCollection } from './sharing.fixture.ts'

const robotsOf = (page: string) => previewOf(page).robots

test('the page of a single item is listed only if its owner or the item says so', async (context) => {
  const { product, ann, visitor, media } = await withSharedCollection(context, { count: 1 })
  const { publicUrlSlug } = (await ann.post(`/api/media/${media[0]!.id}/public`)).json()
  const robots = async () => robotsOf((await visitor.get(`/public/${publicUrlSlug}`)).body)
  assert.equal(await robots(), 'noindex')
  await ann.patch('/api/delivery/settings', { indexesPages: true })
  assert.equal(await robots(), undefined)
  await ann.patch(`/api/media/${media[0]!.id}`, { isIndexed: false })
  assert.equal(await robots(), 'noindex')
  await ann.patch('/api/delivery/settings', { indexesPages: false })
  await ann.patch(`/api/media/${media[0]!.id}`, { isIndexed: true })
  assert.equal(await robots(), undefined)
  assert.equal((await ann.get(`/api/media/${media[0]!.id}`)).json().isIndexed, true)
  await ann.patch(`/api/media/${media[0]!.id}`, { isIndexed: null })
  assert.equal(await robots(), 'noindex')
  const bob = await product.register('bob')
  await bob.patch('/api/delivery/settings', { indexesPages: true })
  assert.equal(await robots(), 'noindex', "another user's setting does not apply")
  assert.equal((await bob.patch(`/api/media/${media[0]!.id}`, { isIndexed: true })).statusCode, 404)
})

test('a collection is listed unless its owner switches it off', async (context) => {
  const { ann, visitor, id, slug } = await withSharedCollection(context)
  const page = `/public/collections/${slug}`
  assert.equal(robotsOf((await visitor.get(page)).body), undefined)
  assert.equal((await visitor.get(`${page}/sitemap.xml`)).statusCode, 200)
  await ann.patch(`/api/collections/${id}/branding`, { isIndexed: false })
  assert.equal(robotsOf((await visitor.get(page)).body), 'noindex')
  assert.equal((await visitor.get(`${page}/sitemap.xml`)).statusCode, 404)
})

test('the sitemap of a collection lists every image that visitors see, and no other', async (context) => {
  const { product, ann, visitor, id, slug, media } = await withSharedCollection(context)
  await ann.patch(`/api/media/${media[0]!.id}`, { filename: 'Pier & sea.jpg' })
  await ann.post('/api/media/bulk-trash', { mediaIds: [media[1]!.id] })
  await addCopies(product.services.db, { id, media }, { count: 150 })
  const answer = await visitor.get(`/public/collections/${slug}/sitemap.xml`, { host: 'a.example' })
  assert.match(String(answer.headers['content-type']), /^application\/xml/)
  const textsOf = (name: string) =>
    [...answer.body.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, text]) => text!)
  const page = `http://a.example/public/collections/${slug}`
  assert.deepEqual(textsOf('loc'), [page, `${page}?page=2`])
  const images = textsOf('image:loc')
  assert.equal(images.length, 151)
  assert.equal(textsOf('image:title')[0], 'Pier &amp; sea')
  const { pathname, search } = new URL(images[0]!.replaceAll('&amp;', '&'))
  assert.equal((await visitor.get(pathname + search)).statusCode, 200)
})

test('a collection that is private, protected or expired has no sitemap', async (context) => {
  const { ann, visitor, id, slug } = await withSharedCollection(context)
  const status = async () => (await visitor.get(`/public/collections/${slug}/sitemap.xml`)).statusCode
  await ann.patch(`/api/collections/${id}/sharing`, { password: 'open sesame' })
  assert.equal(await status(), 401)
  await ann.patch(`/api/collections/${id}/sharing`, { password: null })
  await ann.patch(`/api/collections/${id}/visibility`, { isPublic: false })
  assert.equal(await status(), 404)
})

test('pages describe their images to search engines, with only the texts of the owner', async (context) => {
  const { product, ann, visitor, slug, media } = await withSharedCollection(context, { count: 1 })
  await ann.patch(`/api/media/${media[0]!.id}`, { userDescription: 'A pier</script><script>alert(1)</script>' })
  const page = (await visitor.get(`/public/collections/${slug}`)).body
  const scripts = elementsOf(page).filter(({ nodeName, at }) => nodeName === 'script' && !at.src)
  assert.equal(scripts.length, 1)
  const [image] = JSON.parse(scripts[0]!.childNodes![0]!.value!)
  assert.equal(image['@type'], 'ImageObject')
  assert.equal(image.name, 'picture-0')
  assert.equal(image.description, 'A pier</script><script>alert(1)</script>')
  assert.deepEqual([image.width, image.height, image.creator.name], [120, 90, 'ann'])
  await product.services.db
    .updateTable('media')
    .set({ user_description: null, ai_description: 'A dog', ai_description_source: 'ai' })
    .where('id', '=', media[0]!.id)
    .execute()
  await ann.patch(`/api/media/${media[0]!.id}`, { isFavorite: true })
  const described = (await visitor.get(`/public/collections/${slug}?page=1`, { host: 'b.example' })).body
  assert.doesNotMatch(described, /"description":"A dog"/)
})

test('a page without the name of the product has the icon of its logo', async (context) => {
  const { ann, visitor, id, slug, media } = await withSharedCollection(context)
  const iconOf = (page: string) =>
    elementsOf(page).find(({ nodeName, at }) => nodeName === 'link' && at.rel === 'icon')?.at.href
  const before = (await visitor.get(`/public/collections/${slug}`)).body
  assert.match(before, /Shared with Albumen/)
  assert.equal(previewOf(before)['og:site_name'], 'Albumen')
  assert.equal(iconOf(before), '/favicon.svg')
  await ann.patch(`/api/collections/${id}/branding`, { isWhiteLabel: true, logoUrl: media[0]!.originalUrl })
  const after = (await visitor.get(`/public/collections/${slug}`)).body
  assert.doesNotMatch(after, /Albumen/)
  assert.match(String(iconOf(after)), /^\/files\//)
  assert.equal((await visitor.get(iconOf(after)!)).statusCode, 200)
})

test('robots.txt keeps search engines out of the application and names no public page', async (context) => {
  const { visitor, slug } = await withSharedCollection(context)
  const answer = await visitor.get('/robots.txt')
  assert.match(String(answer.headers['content-type']), /^text\/plain/)
  assert.match(answer.body, /^User-agent: \*\nDisallow: \/api\/\n/)
  assert.doesNotMatch(answer.body, new RegExp(slug))
})
