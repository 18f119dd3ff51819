import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import { addressesOf, shareCollection, withSharedCollection } from './sharing.fixture.ts'

async function expectOpen(person: TestUser, addresses: string[]) {
  for (const url of addresses) assert.equal((await person.get(url)).statusCode, 200, url)
}

/** Every address is refused, and no response contains anything of the collection. */
async function expectClosed(person: TestUser, addresses: string[], statuses = [404]) {
  for (const url of addresses) {
    const answer = await person.get(url)
    assert.ok(statuses.includes(answer.statusCode), `${url}: ${answer.statusCode}`)
    assert.doesNotMatch(answer.body, /Summer|picture-|\/files\//, url)
    const head = await person.send({ method: 'HEAD', url })
    assert.ok([...statuses, 404].includes(head.statusCode), `HEAD ${url}: ${head.statusCode}`)
  }
}

/** A preview of a conversion is available to the owner only. */
async function expectNoPreview(person: TestUser, originalUrl: string) {
  const folder = originalUrl.slice(0, originalUrl.lastIndexOf('/'))
  const preview = `${folder}/~preview.webp`
  await expectClosed(person, [preview, `${preview}?quality=80`, `${preview}?w=320`, `${preview}?format=jpeg`])
  const outdated = await person.get(preview.replace(/[^/]+(?=\/~)/, '000000000000'))
  assert.equal((await person.get(String(outdated.headers.location))).statusCode, 404, 'nor through an old address')
}

test('a public collection is open to every visitor, and closed once it is private', async (context) => {
  const { product, ann, visitor, id, ...shared } = await withSharedCollection(context)
  const ben = await product.register('ben')
  const addresses = addressesOf(shared)
  await expectOpen(visitor, addresses)
  await expectOpen(ben, addresses)
  await ann.patch(`/api/collections/${id}/visibility`, { isPublic: false })
  await expectClosed(visitor, addresses)
  await expectClosed(ben, addresses)
  const [file] = shared.media
  assert.equal((await ann.get(file!.originalUrl)).statusCode, 200, 'the owner keeps their files')
})

test('concurrent visitors each get the collection they requested, and 404 once it is private', async (context) => {
  const { ann, visitor, id, slug } = await withSharedCollection(context)
  const other = await shareCollection(ann, { name: 'Winter', count: 1 })
  const askAll = async () => {
    const slugs = [slug, other.slug, 'never-was', slug, other.slug, slug]
    const answers = await Promise.all(slugs.map((name) => visitor.get(`/api/public/collections/${name}`)))
    return answers.map((answer) => answer.json().collection?.name ?? answer.statusCode)
  }
  assert.deepEqual(await askAll(), ['Summer', 'Winter', 404, 'Summer', 'Winter', 'Summer'])
  await ann.patch(`/api/collections/${id}/visibility`, { isPublic: false })
  assert.deepEqual(await askAll(), [404, 'Winter', 404, 404, 'Winter', 404])
})

test('a private, unknown or expired collection has the same response', async (context) => {
  const { ann, visitor, id, slug } = await withSharedCollection(context)
  const unknown = await visitor.get('/api/public/collections/never-was')
  const unknownPage = await visitor.get('/public/collections/never-was')
  assert.equal(unknown.json().message, "The collection you're looking for doesn't exist or is private.")
  assert.match(unknownPage.body, /Collection Not Found/)
  assert.match(unknownPage.body, /The collection you&#39;re looking for doesn&#39;t exist or is private\./)
  await ann.patch(`/api/collections/${id}/visibility`, { isPublic: false })
  assert.equal((await visitor.get(`/api/public/collections/${slug}`)).body, unknown.body)
  assert.equal((await visitor.get(`/public/collections/${slug}`)).body, unknownPage.body)
})

test('an expired link reveals nothing', async (context) => {
  const { product, ann, visitor, id, ...shared } = await withSharedCollection(context)
  const soon = await ann.patch(`/api/collections/${id}/sharing`, {
    expiresAt: new Date(Date.now() + 3600_000).toISOString(),
  })
  assert.equal(soon.statusCode, 200, soon.body)
  await expectOpen(visitor, addressesOf(shared))
  const past = { share_expires_at: Date.now() - 1 }
  await product.services.db.updateTable('collections').set(past).where('id', '=', id).execute()
  await expectClosed(visitor, addressesOf(shared))
  assert.equal((await ann.get(`/api/collections/${id}/sharing`)).json().isExpired, true)
  const [membership] = (await ann.get(`/api/media/${shared.media[0]!.id}`)).json().collections
  assert.equal(membership.isPublic, false, 'nor is its owner told that it is public')
  const again = await ann.patch(`/api/collections/${id}/sharing`, { expiresAt: '2001-01-01T00:00:00Z' })
  assert.equal(again.statusCode, 400)
  assert.match(again.json().message, /^The link must expire in the future\./)
  await ann.patch(`/api/collections/${id}/sharing`, { expiresAt: null })
  await expectOpen(visitor, addressesOf(shared))
})

test('a trashed, removed or deleted item is gone for visitors at once', async (context) => {
  const { ann, visitor, id, slug, media } = await withSharedCollection(context, { count: 3 })
  const [trashed, removed, deleted] = media
  await ann.post('/api/media/bulk-trash', { mediaIds: [trashed!.id] })
  await ann.delete(`/api/collections/${id}/media/${removed!.id}`)
  await ann.delete(`/api/media/${deleted!.id}`)
  for (const { originalUrl, thumbnailUrl } of media) {
    assert.equal((await visitor.get(originalUrl)).statusCode, 404)
    assert.equal((await visitor.get(thumbnailUrl)).statusCode, 404)
  }
  const page = await visitor.get(`/public/collections/${slug}`)
  assert.match(page.body, /No media in this collection/)
  assert.doesNotMatch(page.body, /picture-/)
  assert.deepEqual((await visitor.get(`/api/public/collections/${slug}/urls`)).json(), { urls: [] })
})

test('a password-protected collection reveals nothing, not even its name, before the password', async (context) => {
  const { product, ann, visitor, id, ...shared } = await withSharedCollection(context)
  const ben = await product.register('ben')
  await ann.patch(`/api/collections/${id}/sharing`, { password: 'open sesame' })
  const addresses = addressesOf(shared)
  await expectClosed(visitor, addresses, [401, 404])
  await expectClosed(ben, addresses, [401, 404])
  for (const { originalUrl } of shared.media) assert.equal((await visitor.get(originalUrl)).statusCode, 404)
  assert.equal((await ann.get(`/public/collections/${shared.slug}`)).statusCode, 200, 'the owner needs none')

  const unlock = `/api/public/collections/${shared.slug}/unlock`
  const wrong = await visitor.post(unlock, { password: 'open barley' })
  assert.deepEqual([wrong.statusCode, wrong.json().code], [401, 'wrong-password'])
  const right = await visitor.post(unlock, { password: 'open sesame' })
  assert.equal(right.statusCode, 200, right.body)
  const [cookie] = right.cookies
  assert.deepEqual([cookie?.httpOnly, cookie?.sameSite], [true, 'Lax'])
  await expectOpen(visitor, addresses)
  const file = await visitor.get(shared.media[0]!.originalUrl)
  assert.match(String(file.headers['cache-control']), /^private/, 'no shared cache keeps it')
  await expectClosed(ben, addresses, [401, 404])
})

test('files of a link that ends enter no shared cache, and browsers keep them no longer than the link', async (context) => {
  const { product, ann, visitor, id, media } = await withSharedCollection(context)
  const [{ originalUrl, thumbnailUrl }] = media as [(typeof media)[0]]
  const files = [originalUrl, thumbnailUrl, `${originalUrl}?w=320`]
  const cacheOf = async (url: string) => String((await visitor.get(url)).headers['cache-control'])
  const share = (body: object) => ann.patch(`/api/collections/${id}/sharing`, body)
  const expectWithin = async (seconds: number) => {
    for (const url of files) {
      const [, age] = /^private, max-age=(\d+)$/.exec(await cacheOf(url)) ?? []
      assert.ok(Number(age) <= seconds && Number(age) > seconds - 60, `${url}: ${age}`)
    }
  }
  for (const url of files) assert.match(await cacheOf(url), /^public, max-age=31536000/)
  await share({ expiresAt: new Date(Date.now() + 3600_000).toISOString() })
  await expectWithin(3600)
  const embedded = await visitor.get(originalUrl)
  assert.equal(embedded.headers['cross-origin-resource-policy'], 'cross-origin', 'other websites may still show it')
  await share({ expiresAt: new Date(Date.now() + 1e12).toISOString() })
  for (const url of files) assert.equal(await cacheOf(url), 'private, max-age=31536000')

  await share({ expiresAt: null, password: 'open sesame' })
  const row = product.services.db.selectFrom('collections').select('public_slug').where('id', '=', id)
  const { public_slug } = await row.executeTakeFirstOrThrow()
  await visitor.post(`/api/public/collections/${public_slug}/unlock`, { password: 'open sesame' })
  // The cookie of the visitor ends after a week.
  await expectWithin(7 * 24 * 3600)
  await share({ expiresAt: new Date(Date.now() + 3600_000).toISOString() })
  await expectWithin(3600)

  const lasting = await shareCollection(ann, { name: 'Lasting', count: 0 })
  await ann.post(`/api/collections/${lasting.id}/media/${media[0]!.id}`)
  for (const url of files) assert.match(await cacheOf(url), /^public, max-age=31536000/, 'another link does not end')
})

test('an unlock cookie opens its own collection for a week, until the password changes', async (context) => {
  const { product, ann, visitor, id, ...shared } = await withSharedCollection(context)
  const other = await shareCollection(ann, { name: 'Summer too', count: 1 })
  for (const target of [id, other.id])
    await ann.patch(`/api/collections/${target}/sharing`, { password: 'open sesame' })
  await visitor.post(`/api/public/collections/${shared.slug}/unlock`, { password: 'open sesame' })
  await expectOpen(visitor, addressesOf(shared))
  await expectClosed(visitor, addressesOf(other), [401, 404])
  context.mock.timers.enable({ apis: ['Date'], now: Date.now() + 8 * 24 * 3600_000 })
  await expectClosed(visitor, addressesOf(shared), [401, 404])
  context.mock.timers.reset()

  const [[name, value]] = [...visitor.cookies] as [[string, string]]
  const forger = product.visitor()
  forger.cookies.set(name.replace(String(id), String(other.id)), value)
  await expectClosed(forger, addressesOf(other), [401, 404])
  forger.cookies.set(name, `${Date.now() + 9e9}.${value.split('.')[1]}`)
  await expectClosed(forger, addressesOf(shared), [401, 404])

  await ann.patch(`/api/collections/${id}/sharing`, { password: 'another one' })
  await expectClosed(visitor, addressesOf(shared), [401, 404])
  await ann.patch(`/api/collections/${id}/sharing`, { password: null })
  await expectOpen(visitor, addressesOf(shared))
})

test('ten wrong passwords lock a link for that IP address, even for the right password', async (context) => {
  const { ann, visitor, id, slug } = await withSharedCollection(context, { count: 0 })
  await ann.patch(`/api/collections/${id}/sharing`, { password: 'open sesame' })
  const unlock = `/api/public/collections/${slug}/unlock`
  for (let guess = 0; guess < 10; guess++) {
    assert.equal((await visitor.post(unlock, { password: `guess ${guess}` })).statusCode, 401)
  }
  const late = await visitor.post(unlock, { password: 'open sesame' })
  assert.equal(late.statusCode, 429)
  assert.ok(Number(late.headers['retry-after']) > 60)
  const form = await visitor.send({
    method: 'POST',
    url: `/public/collections/${slug}/unlock`,
    payload: 'password=open+sesame',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  assert.equal(form.statusCode, 429)
  assert.ok(Number(form.headers['retry-after']) > 60, 'the form tells it too')
  const elsewhere = await visitor.send({
    method: 'POST',
    url: unlock,
    payload: { password: 'open sesame' },
    remoteAddress: '203.0.113.9',
  })
  assert.equal(elsewhere.statusCode, 200, 'another address is not affected')
})

test('concurrent guesses cannot exceed the limit', async (context) => {
  const { ann, visitor, id, slug } = await withSharedCollection(context, { count: 0 })
  await ann.patch(`/api/collections/${id}/sharing`, { password: 'open sesame' })
  const unlock = `/api/public/collections/${slug}/unlock`
  const guesses = await Promise.all(
    Array.from({ length: 30 }, (_, index) => visitor.post(unlock, { password: `guess ${index}` })),
  )
  const tried = guesses.filter(({ statusCode }) => statusCode === 401).length
  assert.ok(tried <= 10, `${tried} were compared`)
  assert.equal(guesses.filter(({ statusCode }) => statusCode === 429).length, 30 - tried)
})

test('a right password does not count against the link’s limit', async (context) => {
  const { product, ann, id, slug } = await withSharedCollection(context, { count: 0 })
  await ann.patch(`/api/collections/${id}/sharing`, { password: 'open sesame' })
  // Attempts from many addresses, one below the limit of the link as a whole.
  const { db } = product.services
  const later = { resets_at: Date.now() + 60_000 }
  const guessed = [
    { name: `share ${id}`, count: 199, ...later },
    { name: `share ${id} 203.0.113.1`, count: 9, ...later },
  ]
  await db.insertInto('attempts').values(guessed).execute()
  const unlock = async (password: string, remoteAddress: string) => {
    const url = `/api/public/collections/${slug}/unlock`
    return (await product.visitor().send({ method: 'POST', url, payload: { password }, remoteAddress })).statusCode
  }
  assert.equal(await unlock('open sesame', '203.0.113.1'), 200)
  assert.equal(await unlock('open sesame', '203.0.113.2'), 200)
  const ofAddresses = db.selectFrom('attempts').select('name').where('name', 'like', `share ${id} %`)
  assert.deepEqual(await ofAddresses.execute(), [], 'nor of what an address may try')
  assert.equal(await unlock('open barley', '203.0.113.3'), 401)
  assert.equal(await unlock('open barley', '203.0.113.4'), 429)
})

test('a visitor with the right password gets in, however many addresses guess', async (context) => {
  const { product, ann, id, slug } = await withSharedCollection(context, { count: 0 })
  await ann.patch(`/api/collections/${id}/sharing`, { password: 'open sesame' })
  const guessed = { name: `share ${id}`, count: 5000, resets_at: Date.now() + 60_000 }
  await product.services.db.insertInto('attempts').values(guessed).execute()
  const unlock = async (password: string, remoteAddress: string) => {
    const url = `/api/public/collections/${slug}/unlock`
    return (await product.visitor().send({ method: 'POST', url, payload: { password }, remoteAddress })).statusCode
  }
  assert.equal(await unlock('open sesame', '203.0.113.1'), 200)
  assert.equal(await unlock('open sesame', '203.0.113.1'), 200, 'once more, as it was right')
  assert.equal(await unlock('open barley', '203.0.113.2'), 429)
  assert.equal(await unlock('open sesame', '203.0.113.2'), 429, 'a guesser has a single attempt')
  assert.equal(await unlock('open sesame', '203.0.113.3'), 200)
})

test('a link password has at least six characters', async (context) => {
  const { ann, id } = await withSharedCollection(context, { count: 0 })
  const short = await ann.patch(`/api/collections/${id}/sharing`, { password: 'sesam' })
  assert.equal(short.statusCode, 400)
  assert.match(short.json().message, /The link password must have at least 6 characters\./)
  assert.equal((await ann.patch(`/api/collections/${id}/sharing`, { password: 'sesame' })).statusCode, 200)
})

test('a visitor over https gets a secure cookie', async (context) => {
  const product = await testApp(context, { PUBLIC_URL: 'https://photos.example' })
  const ann = await product.register('ann')
  const { id, slug } = await shareCollection(ann, { count: 0 })
  await ann.patch(`/api/collections/${id}/sharing`, { password: 'open sesame' })
  const keyFor = async (headers?: Record<string, string>) => {
    const url = `/api/public/collections/${slug}/unlock`
    const payload = { password: 'open sesame' }
    return (await product.visitor().send({ method: 'POST', url, payload, headers })).cookies[0]
  }
  const outside = await keyFor({ host: 'photos.example', origin: 'https://photos.example' })
  assert.equal(outside?.secure, true)
  assert.equal((await keyFor())?.secure, undefined, 'at home, by another name, there may be no https')
})

test('the password form works without any script', async (context) => {
  const { ann, visitor, id, slug } = await withSharedCollection(context)
  await ann.patch(`/api/collections/${id}/sharing`, { password: 'open sesame' })
  const page = await visitor.get(`/public/collections/${slug}`)
  assert.equal(page.statusCode, 401)
  assert.match(page.body, new RegExp(`<form[^>]*method="post" action="/public/collections/${slug}/unlock"`))
  const send = (password: string) =>
    visitor.send({
      method: 'POST',
      url: `/public/collections/${slug}/unlock`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ password }).toString(),
    })
  const wrong = await send('nonsense')
  assert.equal(wrong.statusCode, 401)
  assert.match(wrong.body, /Incorrect password\./)
  for (const { headers } of [page, wrong])
    assert.match(String(headers['content-security-policy']), /form-action 'self'/)
  const right = await send('open sesame')
  assert.equal(right.statusCode, 303)
  const onTheWay = await visitor.get(right.headers.location!)
  assert.deepEqual([onTheWay.statusCode, onTheWay.headers.location], [303, `/public/collections/${slug}`])
  assert.match((await visitor.get(`/public/collections/${slug}`)).body, /Summer/)

  // A browser without cookies arrives without the unlock cookie that it was just given.
  visitor.cookies.clear()
  const { location } = (await send('open sesame')).headers
  visitor.cookies.clear()
  const refused = await visitor.get(location!)
  assert.equal(refused.statusCode, 401)
  assert.match(refused.body, /This page requires cookies/)
  assert.match(refused.body, new RegExp(`<form[^>]*method="post" action="/public/collections/${slug}/unlock"`))
  assert.match(String(refused.headers['content-security-policy']), /form-action 'self'/)
})

test('without downloads a visitor gets renditions, and no original by any address', async (context) => {
  const { ann, visitor, id, slug, media } = await withSharedCollection(context)
  await ann.patch(`/api/collections/${id}/sharing`, { allowsDownload: false })
  const [{ originalUrl, thumbnailUrl }] = media as [(typeof media)[0]]
  for (const url of [originalUrl, `${originalUrl}?download=1`, `${originalUrl}?format=webp`, `${originalUrl}?w=`]) {
    assert.equal((await visitor.get(url)).statusCode, 403, url)
  }
  await expectNoPreview(visitor, originalUrl)
  assert.equal((await visitor.get(`/public/collections/${slug}/download`)).statusCode, 403)
  assert.equal((await visitor.get(thumbnailUrl)).statusCode, 200)
  const rendition = await visitor.get(`${originalUrl}?w=1280&format=webp&download=1`)
  assert.equal(rendition.statusCode, 200)
  assert.match(String(rendition.headers['content-disposition']), /^inline/)
  const { urls } = (await visitor.get(`/api/public/collections/${slug}/urls`)).json()
  for (const url of urls) assert.equal((await visitor.get(new URL(url).pathname + new URL(url).search)).statusCode, 200)
  const page = (await visitor.get(`/public/collections/${slug}`)).body
  assert.doesNotMatch(page, /download/i)
  const offered = await shareCollection(ann, { name: 'To take away', count: 0 })
  await ann.post(`/api/collections/${offered.id}/media/${media[0]!.id}`)
  assert.equal((await visitor.get(originalUrl)).statusCode, 200, 'what another page offers is offered')
})

test('a logo or header from the library is public with its page only', async (context) => {
  const { product, ann, visitor, id, slug } = await withSharedCollection(context)
  const header = await ann.addPicture('header.jpg')
  const shown = `${header.originalUrl}?w=1920&format=webp`
  assert.equal((await visitor.get(shown)).statusCode, 404)
  await ann.patch(`/api/collections/${id}/branding`, { headerImage: header.originalUrl })
  assert.equal((await visitor.get(shown)).statusCode, 200)
  assert.match((await visitor.get(`/public/collections/${slug}`)).body, /class="pub-header-image" src="\/files\//)
  const { customBranding, publicUrl } = (await visitor.get(`/api/public/collections/${slug}/data`)).json()
  const [origin] = publicUrl.split('/public/')
  assert.equal(customBranding.headerImage, origin + shown, 'other websites need it whole')
  // An absolute URL of this library, as copied from a browser, is recognized as its own.
  const whole = await ann.patch(`/api/collections/${id}/branding`, { headerImage: origin + header.originalUrl })
  assert.equal(whole.json().customBranding.headerImage, header.originalUrl)
  assert.equal((await visitor.get(header.originalUrl)).statusCode, 403)
  await expectNoPreview(visitor, header.originalUrl)
  const ben = await product.register('ben')
  const bens = await ben.addPicture('secret.jpg')
  await ann.patch(`/api/collections/${id}/branding`, { logoUrl: bens.originalUrl })
  assert.equal((await visitor.get(`${bens.originalUrl}?w=640`)).statusCode, 404, "naming another's file opens nothing")
  await ann.patch(`/api/collections/${id}/visibility`, { isPublic: false })
  assert.equal((await visitor.get(shown)).statusCode, 404)
})
