import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collectEvents } from '#tests/support/live-events.ts'
import { testApp } from '#tests/support/test-app.ts'
import { until } from '#tests/support/until.ts'
import { shareCollection, withSharedCollection } from './sharing.fixture.ts'
import { viewsWritten } from './views.ts'

test('another website can read a public collection with working URLs and nothing private', async (context) => {
  const { ann, visitor, id, slug, media } = await withSharedCollection(context)
  await ann.patch(`/api/media/${media[0]!.id}`, { userDescription: 'A beach', aiTags: ['beach'] })
  const secret = (await ann.post('/api/collections', { name: 'Secret plans' })).json()
  await ann.post(`/api/collections/${secret.id}/media/${media[0]!.id}`)
  assert.deepEqual((await ann.get(`/api/media/${media[0]!.id}`)).json().collections, [
    { id, name: 'Summer', isPublic: true },
    { id: secret.id, name: 'Secret plans', isPublic: false },
  ])
  await ann.patch(`/api/collections/${id}`, { company: 'Hidden Ltd' })
  const base = `/api/public/collections/${slug}`

  for (const path of ['', '/urls', '/images', '/data']) {
    const answer = await visitor.get(base + path, { origin: 'https://elsewhere.example' })
    assert.equal(answer.statusCode, 200, answer.body)
    assert.equal(answer.headers['access-control-allow-origin'], '*')
    assert.equal(answer.headers['cross-origin-resource-policy'], 'cross-origin')
    assert.doesNotMatch(
      answer.body,
      /@example\.com|Secret plans|Hidden Ltd|userId|ownerId|owner_id|"blob"|exif|customCss/i,
      path,
    )
  }
  const { collection, media: items } = (await visitor.get(base)).json()
  assert.deepEqual([collection.name, collection.mediaCount, collection.ownerName], ['Summer', 2, 'ann'])
  assert.equal(items.length, 2)
  assert.deepEqual([items[0].userDescription, items[0].aiTags, items[0].alt], ['A beach', ['beach'], 'A beach'])
  assert.equal(items[0].collections, undefined)

  const { urls } = (await visitor.get(`${base}/urls`)).json()
  for (const url of urls) assert.equal((await visitor.get(new URL(url).pathname)).headers['content-type'], 'image/jpeg')
  const { images } = (await visitor.get(`${base}/images`)).json()
  assert.deepEqual(images[0], {
    url: urls[0],
    thumbnailUrl: items[0].thumbnailUrl,
    width: 120,
    height: 90,
    alt: 'A beach',
    altLanguage: null,
    name: 'picture-0.jpg',
    mimeType: 'image/jpeg',
    isAnimated: false,
    isTransparent: false,
  })
  const data = (await visitor.get(`${base}/data`)).json()
  assert.deepEqual([data.name, data.customBranding.backgroundColor, data.media.length], ['Summer', '#ffffff', 2])
  const missing = await visitor.get('/api/public/collections/nothing/urls')
  assert.equal(missing.headers['access-control-allow-origin'], '*', 'also a refusal can be read')
})

test('another website may read a public collection with custom headers, and change nothing', async (context) => {
  const { product, slug } = await withSharedCollection(context)
  for (const path of ['', '/urls', '/images', '/data']) {
    const { statusCode, headers } = await product.app.inject({
      method: 'OPTIONS',
      url: `/api/public/collections/${slug}${path}`,
      headers: {
        origin: 'https://elsewhere.example',
        'sec-fetch-site': 'cross-site',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'content-type',
      },
    })
    assert.equal(statusCode, 204, path)
    assert.equal(headers['access-control-allow-origin'], '*')
    assert.equal(headers['access-control-allow-headers'], '*')
    assert.equal(headers['access-control-allow-methods'], 'GET, HEAD')
    assert.equal(headers['access-control-allow-credentials'], undefined)
  }
})

test('the owner is named unless they opted out', async (context) => {
  const { ann, visitor, id, slug } = await withSharedCollection(context)
  assert.match((await visitor.get(`/public/collections/${slug}`)).body, /By <bdi>ann</)
  await ann.patch(`/api/collections/${id}/branding`, { showOwnerInfo: false })
  assert.equal((await visitor.get(`/api/public/collections/${slug}`)).json().collection.ownerName, null)
  for (const path of [`/public/collections/${slug}`, `/api/public/collections/${slug}/data`])
    assert.doesNotMatch((await visitor.get(path)).body, /\bann\b/)
})

test('the public page has the owner’s order', async (context) => {
  const { ann, visitor, id, slug, media } = await withSharedCollection(context, { count: 3 })
  await ann.patch(`/api/collections/${id}/order`, { mediaIds: [media[2]!.id], beforeId: media[0]!.id })
  const names = (await visitor.get(`/api/public/collections/${slug}`))
    .json()
    .media.map(({ filename }: { filename: string }) => filename)
  assert.deepEqual(names, ['picture-2.jpg', 'picture-0.jpg', 'picture-1.jpg'])
})

test('a renamed address redirects to the new one for pages, files and API calls, and back', async (context) => {
  const { ann, visitor, id, slug, media } = await withSharedCollection(context)
  await ann.patch(`/api/collections/${id}/url`, { publicSlug: 'Beach Days!' })
  const rest = ['', '?embed=1', '/style.css', '/download']
  for (const path of rest) {
    const answer = await visitor.get(`/public/collections/${slug}${path}`)
    assert.deepEqual([answer.statusCode, answer.headers.location], [301, `/public/collections/beachdays${path}`])
    assert.equal(answer.headers['cache-control'], 'no-cache', 'it may move back')
  }
  for (const call of ['', '/api']) {
    const { statusCode, headers } = await visitor.post(`${call}/public/collections/${slug}/unlock`, { password: 'sea' })
    const present = `${call}/public/collections/beachdays/unlock`
    assert.deepEqual([statusCode, headers.location], [307, present], 'the password goes along')
  }
  const call = await visitor.get(`/api/public/collections/${slug}/urls`)
  assert.deepEqual([call.statusCode, call.headers.location], [301, '/api/public/collections/beachdays/urls'])
  assert.equal((await visitor.get('/public/collections/beachdays')).statusCode, 200)
  await ann.patch(`/api/collections/${id}/url`, { publicSlug: slug })
  assert.equal((await visitor.get('/public/collections/beachdays')).headers.location, `/public/collections/${slug}`)
  await ann.patch(`/api/collections/${id}/visibility`, { isPublic: false })
  assert.equal((await visitor.get('/public/collections/beachdays')).statusCode, 404, 'no trace while it is private')

  const first = (await ann.post(`/api/media/${media[0]!.id}/public`)).json().publicUrlSlug
  await ann.patch(`/api/media/${media[0]!.id}/public-url`, { publicUrlSlug: 'the-pier' })
  assert.equal((await visitor.get(`/public/${first}`)).headers.location, '/public/the-pier')
  assert.equal((await visitor.get(`/api/public/media/${first}`)).headers.location, '/api/public/media/the-pier')
  await ann.delete(`/api/media/${media[0]!.id}/public`)
  assert.equal((await visitor.get(`/public/${first}`)).statusCode, 404)
})

test('a new address ends the earlier ones of a collection and of an item', async (context) => {
  const { ann, visitor, id, slug, media } = await withSharedCollection(context)
  const leaked = [slug, 'beach-days']
  await ann.patch(`/api/collections/${id}/url`, { publicSlug: 'beach-days' })
  const fresh = { publicSlug: 'beach-x4k9qz', endsEarlierUrls: true }
  assert.equal((await ann.patch(`/api/collections/${id}/url`, fresh)).json().publicSlug, 'beach-x4k9qz')
  for (const old of leaked) {
    assert.equal((await visitor.get(`/public/collections/${old}`)).statusCode, 404)
    assert.equal((await visitor.get(`/api/public/collections/${old}/urls`)).statusCode, 404)
  }
  assert.equal((await visitor.get('/public/collections/beach-x4k9qz')).statusCode, 200)

  const path = `/api/media/${media[0]!.id}`
  const first = (await ann.post(`${path}/public`)).json()
  assert.equal(first.isEarlierUrl, false)
  await ann.delete(`${path}/public`)
  const again = (await ann.post(`${path}/public`)).json()
  assert.deepEqual([again.publicUrlSlug, again.isEarlierUrl], [first.publicUrlSlug, true])
  await ann.patch(`${path}/public-url`, { publicUrlSlug: 'pier-x4k9qz', endsEarlierUrls: true })
  assert.equal((await visitor.get(`/public/${first.publicUrlSlug}`)).statusCode, 404)
  assert.equal((await visitor.get('/public/pier-x4k9qz')).statusCode, 200)
  await ann.delete(`${path}/public`)
  assert.equal((await ann.post(`${path}/public`)).json().publicUrlSlug, 'pier-x4k9qz')
})

test('a renamed address may have the name of another path segment', async (context) => {
  const { ann, visitor, id, media } = await withSharedCollection(context, { count: 1 })
  const rename = (publicSlug: string) => ann.patch(`/api/collections/${id}/url`, { publicSlug })
  for (const former of ['collection', 'public', 'pub', 'api']) {
    assert.equal((await rename(former)).statusCode, 200)
    await rename('beach')
    for (const page of [`/public/collections/${former}`, `/api/public/collections/${former}/urls`]) {
      const { statusCode, headers } = await visitor.get(`${page}?page=2&of=/${former}`)
      const expected = `${page.replace(new RegExp(`${former}(?=$|/urls)`), 'beach')}?page=2&of=/${former}`
      assert.deepEqual([statusCode, headers.location], [301, expected])
    }
  }
  await ann.post(`/api/media/${media[0]!.id}/public`)
  for (const former of ['public', 'media']) {
    await ann.patch(`/api/media/${media[0]!.id}/public-url`, { publicUrlSlug: former })
    await ann.patch(`/api/media/${media[0]!.id}/public-url`, { publicUrlSlug: 'the-pier' })
    assert.equal((await visitor.get(`/public/${former}`)).headers.location, '/public/the-pier')
    assert.equal((await visitor.get(`/api/public/media/${former}`)).headers.location, '/api/public/media/the-pier')
  }
})

test('an invalid public address answers 404', async (context) => {
  const { visitor, slug } = await withSharedCollection(context, { count: 0 })
  for (const path of ['%00', `${slug}%00`, 'a%00b']) {
    for (const page of [`/public/${path}`, `/public/collections/${path}`, `/public/collections/${path}/style.css`])
      assert.equal((await visitor.get(page)).statusCode, 404, page)
    assert.equal((await visitor.post(`/public/collections/${path}/unlock`)).statusCode, 404)
    assert.equal((await visitor.get(`/api/public/media/${path}`)).statusCode, 400)
  }
})

test('of two users who take one address at once, one gets it and the other an error', async (context) => {
  const { register } = await testApp(context)
  const [ann, ben] = [await register(), await register()]
  const shared = [await shareCollection(ann, { count: 0 }), await shareCollection(ben, { count: 0 })]
  const answers = await Promise.all([
    ann.patch(`/api/collections/${shared[0]!.id}/url`, { publicSlug: 'coast' }),
    ben.patch(`/api/collections/${shared[1]!.id}/url`, { publicSlug: 'coast' }),
  ])
  assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [200, 409])
})

test('the owner’s other tabs get an event when the sharing changes', async (context) => {
  const { product, ann, id } = await withSharedCollection(context)
  const heard = await collectEvents(product.services.events, ann.id)
  await ann.patch(`/api/collections/${id}/sharing`, { expiresAt: new Date(Date.now() + 60_000).toISOString() })
  await until('the event', () => heard.length > 0)
  assert.deepEqual(heard, [{ type: 'collections' }])
})

test('the availability of an address can be checked', async (context) => {
  const { product, ann, id, slug } = await withSharedCollection(context, { count: 0 })
  const other = await shareCollection(ann, { count: 0 })
  const check = async (text: string) =>
    (await ann.get(`/api/collections/${id}/url-check?slug=${encodeURIComponent(text)}`)).json()
  assert.deepEqual(await check('My Coast!'), { slug: 'mycoast', isAvailable: true, message: 'This URL is available.' })
  assert.equal((await check(slug)).isAvailable, true)
  assert.deepEqual(await check(other.slug), {
    slug: other.slug,
    isAvailable: false,
    message: 'This URL is already taken.',
  })
  for (const text of ['', 'ab', 'collections']) assert.equal((await check(text)).isAvailable, false, text)
  const ben = await product.register('ben')
  for (const path of ['url-check?slug=abc', 'sharing', 'statistics'])
    assert.equal((await ben.get(`/api/collections/${id}/${path}`)).statusCode, 404)
  assert.equal((await ben.patch(`/api/collections/${id}/sharing`, { password: 'mine now' })).statusCode, 404)
  assert.equal((await ben.post(`/api/collections/${id}/preview`, {})).statusCode, 404)
})

test('the preview has the colors of the pictures and of the logo, but not of another user’s image', async (context) => {
  const product = await testApp(context)
  const [ann, ben] = [await product.register(), await product.register()]
  const { id, media } = await shareCollection(ann, { count: 1 })
  const bens = await ben.addPicture()
  const coloursWith = async (logoUrl: string) =>
    (await ann.post(`/api/collections/${id}/preview`, { logoUrl })).json().colours
  const own = await coloursWith(media[0]!.originalUrl)
  assert.match(own.pictures[0], /^#[0-9a-f]{6}$/)
  assert.deepEqual(own.logo, own.pictures)
  for (const logoUrl of [bens.originalUrl, 'https://example.com/files/1/logo.png', ''])
    assert.deepEqual((await coloursWith(logoUrl)).logo, [], logoUrl)
})

test('a public item has a page and an API call until it is private or in the trash', async (context) => {
  const { register, visitor: newVisitor } = await testApp(context)
  const ann = await register()
  const visitor = newVisitor()
  const item = await ann.addPicture('pier.jpg')
  const { publicUrlSlug: slug } = (await ann.post(`/api/media/${item.id}/public`)).json()
  const call = await visitor.get(`/api/public/media/${slug}`)
  assert.equal(call.json().media.filename, 'pier.jpg')
  assert.equal(call.headers['access-control-allow-origin'], '*')
  assert.match((await visitor.get(`/public/${slug}`)).body, /<title>pier<\/title>/)
  await ann.patch(`/api/media/${item.id}/public-url`, { publicUrlSlug: 'the-pier' })
  assert.equal((await visitor.get(`/public/${slug}`)).statusCode, 301)
  await ann.post('/api/media/bulk-trash', { mediaIds: [item.id] })
  const addresses = [slug, 'the-pier'].flatMap((each) => [`/public/${each}`, `/api/public/media/${each}`])
  const closed = [...addresses, item.originalUrl]
  for (const url of closed) assert.equal((await visitor.get(url)).statusCode, 404, url)
  const unknown = await visitor.get('/public/never-was')
  assert.equal((await visitor.get(`/public/${slug}`)).body, unknown.body)
})

test('views are counted once per visitor and hour, not for the owner, robots or HEAD requests', async (context) => {
  const { product, ann, visitor, id, slug, media } = await withSharedCollection(context)
  const today = new Date().toISOString().slice(0, 10)
  const noon = Date.parse(`${today}T12:00:00Z`)
  context.mock.timers.enable({ apis: ['Date'], now: noon })
  const { db } = product.services
  const page = `/public/collections/${slug}`
  const from = (remoteAddress: string, agent = 'Firefox', method: 'GET' | 'HEAD' = 'GET') =>
    visitor.send({ method, url: page, remoteAddress, headers: { 'user-agent': agent } })
  for (let count = 0; count < 3; count++) await from('203.0.113.5')
  await from('203.0.113.6')
  await from('203.0.113.6', 'Safari')
  await from('203.0.113.7', 'Slackbot-LinkExpanding 1.0')
  assert.equal((await from('203.0.113.8', 'Firefox', 'HEAD')).statusCode, 200)
  for (const own of [page, `/api${page}`]) await ann.get(own)
  const item = `/api/media/${media[0]!.id}`
  const { publicUrlSlug } = (await ann.post(`${item}/public`)).json()
  for (const own of [`/public/${publicUrlSlug}`, `/api/public/media/${publicUrlSlug}`])
    assert.equal((await ann.get(own)).statusCode, 200)
  const statistics = async () => {
    await viewsWritten(db)
    return (await ann.get(`/api/collections/${id}/statistics`)).json()
  }
  const { total, days } = await statistics()
  assert.equal(total, 3)
  assert.deepEqual([days.length, days.at(-1)], [30, { day: today, views: 3 }])
  assert.equal((await ann.get(`/api/collections/${id}`)).json().viewCount, 3)
  assert.equal((await ann.get(item)).json().viewCount, 0)

  context.mock.timers.setTime(noon + 3600_000 + 1)
  await from('203.0.113.5')
  assert.equal((await statistics()).total, 4, 'an hour later it is another view')
  const listKept = () => db.selectFrom('share_visitors').selectAll().execute()
  const kept = await listKept()
  assert.equal(kept.length, 1, 'who was here is forgotten after the hour')
  assert.doesNotMatch(JSON.stringify(kept), /203\.0\.113|Firefox/)
  context.mock.timers.setTime(noon + 24 * 3600_000)
  await from('203.0.113.5')
  await viewsWritten(db)
  assert.notEqual((await listKept())[0]!.visitor, kept[0]!.visitor, 'and is not known again on another day')
})
