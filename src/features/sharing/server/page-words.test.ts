import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestApp } from '#tests/support/test-app.ts'
import { withSharedCollection } from './sharing.fixture.ts'

const altTexts = { en: 'A pier at dusk', de: 'Ein Steg am Abend', fr: 'Un quai le soir' }
const accepting = (languages: string) => ({ 'accept-language': languages })

async function addWebsite({ services }: TestApp, collectionId: number, website: object = {}) {
  const { owner_id } = await services.db
    .selectFrom('collections')
    .select('owner_id')
    .where('id', '=', collectionId)
    .executeTakeFirstOrThrow()
  const row = { owner_id, name: 'Harbor', name_key: 'harbor', languages: '["de","en"]', created_at: 1, updated_at: 1 }
  const { id } = await services.db
    .insertInto('websites')
    .values({ ...row, ...website })
    .returning('id')
    .executeTakeFirstOrThrow()
  await services.db.updateTable('collections').set({ website_id: id }).where('id', '=', collectionId).execute()
}

test('a page describes images in the visitor’s language among those of its website, else in the main one', async (context) => {
  const { product, ann, visitor, id, slug, media } = await withSharedCollection(context, { count: 1 })
  await ann.patch(`/api/media/${media[0]!.id}`, { altTexts })
  await addWebsite(product, id)
  const path = `/public/collections/${slug}`
  for (const [languages, shown] of [
    ['en-GB,en;q=0.9', 'alt="A pier at dusk" '],
    ['de-AT', 'alt="Ein Steg am Abend" lang="de"'],
    ['fr', 'alt="Ein Steg am Abend" lang="de"'],
    ['en;q=0.3,de;q=0.4', 'alt="Ein Steg am Abend" lang="de"'],
  ]) {
    const page = await visitor.get(path, accepting(languages!))
    assert.ok(page.body.includes(shown!), languages)
    assert.ok(page.body.includes('<html lang="en">'), 'the page itself is in English')
    assert.match(String(page.headers.vary), /Accept-Language/)
    const [image] = (await visitor.get(`/api${path}/images`, accepting(languages!))).json().images
    assert.ok(shown!.includes(image.alt), languages)
  }
})

test('without a website a page takes any alt text that the visitor accepts, then the first', async (context) => {
  const { ann, visitor, slug, media } = await withSharedCollection(context, { count: 1 })
  await ann.patch(`/api/media/${media[0]!.id}`, { altTexts })
  const { publicUrlSlug } = (await ann.post(`/api/media/${media[0]!.id}/public`)).json()
  for (const path of [`/public/collections/${slug}`, `/public/${publicUrlSlug}`]) {
    const altFor = async (languages: string) => {
      const page = await visitor.get(path, accepting(languages))
      assert.match(String(page.headers.vary), /Accept-Language/)
      return /<img src="[^"]*"[^>]* alt="([^"]*)"/.exec(page.body)?.[1]
    }
    assert.equal(await altFor('fr-CA'), altTexts.fr)
    assert.equal(await altFor('de'), altTexts.de)
    assert.equal(await altFor('ja'), altTexts.en)
    assert.equal(await altFor('</script>'), altTexts.en)
  }
})

test('another website asks for a language, and an unknown one is refused', async (context) => {
  const { ann, visitor, slug, media } = await withSharedCollection(context, { count: 1 })
  await ann.patch(`/api/media/${media[0]!.id}`, { altTexts })
  const api = `/api/public/collections/${slug}`
  const images = await visitor.get(`${api}/images?lang=DE-at`, accepting('fr'))
  assert.deepEqual(
    [images.json().images[0].alt, images.json().images[0].altLanguage],
    [altTexts.de, 'de'],
    'before what the browser accepts',
  )
  assert.equal((await visitor.get(`${api}/data?lang=fr`)).json().media[0].alt, altTexts.fr)
  assert.equal((await visitor.get(`${api}/urls?lang=fr`)).json().urls.length, 1)
  for (const call of ['images', 'data', 'urls']) {
    const refused = await visitor.get(`${api}/${call}?lang=klingon`)
    assert.equal(refused.statusCode, 400)
    assert.match(refused.json().message, /"klingon" is not a known language/)
  }
})

test('a decorative image has an empty alt, and one without an alt text its description', async (context) => {
  const { ann, visitor, slug, media } = await withSharedCollection(context, { count: 2 })
  await ann.patch(`/api/media/${media[0]!.id}`, { altTexts, isDecorative: true })
  await ann.patch(`/api/media/${media[1]!.id}`, { userDescription: 'By the sea' })
  const { images } = (await visitor.get(`/api/public/collections/${slug}/images?lang=en`)).json()
  const alts = Object.fromEntries(images.map(({ name, alt }: { name: string; alt: string }) => [name, alt]))
  assert.deepEqual(alts, { 'picture-0.jpg': '', 'picture-1.jpg': 'By the sea' })
})

test('search engines read title, creator and license of an item, else those of its website', async (context) => {
  const { product, ann, visitor, id, slug, media } = await withSharedCollection(context, { count: 2 })
  await addWebsite(product, id, { creator: 'Harbor Ltd', licence: 'https://example.com/license' })
  const own = { title: 'Dusk', creator: 'Ann</script>', credit: 'Ann Press', licence: 'All rights reserved' }
  await ann.patch(`/api/media/${media[0]!.id}`, own)
  const page = (await visitor.get(`/public/collections/${slug}`)).body
  const objects = JSON.parse(/<script type="application\/ld\+json">(.*?)<\/script>/.exec(page)![1]!)
  const facts = objects.map(({ name, creator, creditText, license, copyrightNotice }: Record<string, unknown>) => ({
    name,
    creator: (creator as { name: string }).name,
    creditText,
    rights: license ?? copyrightNotice,
  }))
  assert.deepEqual(
    facts.find(({ name }: { name: string }) => name === 'Dusk'),
    { name: 'Dusk', creator: 'Ann</script>', creditText: 'Ann Press', rights: 'All rights reserved' },
  )
  assert.deepEqual(
    facts.find(({ name }: { name: string }) => name === 'picture-1'),
    { name: 'picture-1', creator: 'Harbor Ltd', creditText: 'Harbor Ltd', rights: 'https://example.com/license' },
  )
})
