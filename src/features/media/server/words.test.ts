import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalLanguage } from '#shared/languages.ts'
import { testApp } from '#tests/support/test-app.ts'

test('title, alt texts, creator, credit, license and source of an item are kept', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const { id } = await ann.addPicture('one.jpg')
  const words = {
    title: 'Evening at the pier',
    altTexts: { en: 'A pier at dusk', de: 'Ein Steg am Abend' },
    isDecorative: true,
    creator: 'Ann Example',
    credit: 'Example Press',
    licence: 'CC BY 4.0',
    sourceUrl: 'https://example.com/pier?a=1',
  }
  assert.equal((await ann.patch(`/api/media/${id}`, words)).statusCode, 200)
  const read = (await ann.get(`/api/media/${id}`)).json()
  assert.deepEqual(Object.fromEntries(Object.keys(words).map((name) => [name, read[name]])), words)
  const [listed] = (await ann.get('/api/media')).json().media
  assert.deepEqual([listed.altTexts, listed.isDecorative], [words.altTexts, true], 'snippets are made from lists')
  assert.equal(listed.creator, undefined, 'lists are lean')
  const removed = { title: null, creator: '', credit: ' ', licence: null, sourceUrl: '' }
  const after = (await ann.patch(`/api/media/${id}`, removed)).json()
  for (const name of Object.keys(removed)) assert.equal(after[name], null, name)
})

test('a change of alt texts sets and removes the given languages and leaves the others', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const { id } = await ann.addPicture('one.jpg')
  const change = async (altTexts: object) => (await ann.patch(`/api/media/${id}`, { altTexts })).json().altTexts
  assert.deepEqual(await change({ EN: ' A\npier ', 'pt-br': 'Um cais' }), { en: 'A pier', 'pt-BR': 'Um cais' })
  assert.deepEqual(await change({ de: 'Ein Steg' }), { en: 'A pier', 'pt-BR': 'Um cais', de: 'Ein Steg' })
  assert.deepEqual(await change({ en: null, 'pt-BR': '' }), { de: 'Ein Steg' })
  const both = [ann.patch(`/api/media/${id}`, { altTexts: { fr: 'Un quai' } }), change({ it: 'Un molo' })]
  await Promise.all(both)
  assert.deepEqual((await ann.get(`/api/media/${id}`)).json().altTexts, {
    de: 'Ein Steg',
    fr: 'Un quai',
    it: 'Un molo',
  })
})

test('wrong words are refused with a sentence about their field, and nothing changes', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const { id } = await ann.addPicture('one.jpg')
  const before = (await ann.get(`/api/media/${id}`)).json()
  const refusals: [body: object, message: RegExp][] = [
    [{ altTexts: { xx: 'A pier' } }, /"xx" is not a known language\. Use a tag such as/],
    [{ altTexts: { de_AT: 'Ein Steg' } }, /"de_AT" is not a known language/],
    [{ altTexts: { ['x'.repeat(10_000)]: 'A pier' } }, /^.{1,100}" is not a known language/],
    [{ altTexts: { en: 'x'.repeat(10_000) } }, /An alt text can have up to 1,000 characters/],
    [{ altTexts: { de: 'Ein Steg', DE: 'Ein Kai' } }, /German is given twice/],
    [{ altTexts: { en: 7 } }, /./],
    [{ altTexts: 'A pier' }, /./],
    [{ altTexts: manyLanguages() }, /alt texts in up to 50 languages/],
    [{ title: 'x'.repeat(201) }, /A title can have up to 200 characters/],
    [{ creator: 'x'.repeat(501) }, /A creator can have up to 500 characters/],
    [{ licence: 'x'.repeat(501) }, /A license can have up to 500 characters/],
    [{ sourceUrl: 'javascript:alert(1)' }, /A source must be a web address/],
    [{ sourceUrl: `https://example.com/${'x'.repeat(2000)}` }, /A source can have up to 2,000 characters/],
    [{ isDecorative: 'yes' }, /./],
  ]
  for (const [body, message] of refusals) {
    const answer = await ann.patch(`/api/media/${id}`, { filename: 'other.jpg', ...body })
    assert.equal(answer.statusCode, 400, JSON.stringify(body).slice(0, 100))
    assert.match(answer.json().message, message)
  }
  assert.deepEqual((await ann.get(`/api/media/${id}`)).json(), before)
})

const manyLanguages = () =>
  Object.fromEntries(
    knownLanguages()
      .slice(0, 51)
      .map((tag) => [tag, 'A pier']),
  )

function knownLanguages() {
  const letters = [...'abcdefghijklmnopqrstuvwxyz']
  const codes = letters.flatMap((first) => letters.map((second) => first + second))
  return [...new Set(codes.flatMap((code) => canonicalLanguage(code) ?? []))]
}

test('an item gets at most 50 languages, however many changes bring them', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const { id } = await ann.addPicture('one.jpg')
  const languages = Object.entries(manyLanguages())
  const patch = (some: [string, string][]) =>
    ann.patch(`/api/media/${id}`, { title: 'Pier', altTexts: Object.fromEntries(some) })
  assert.equal((await patch(languages.slice(0, 50))).statusCode, 200)
  const answer = await patch(languages.slice(50))
  assert.equal(answer.statusCode, 400)
  assert.match(answer.json().message, /up to 50 languages/)
})

test('the words of another user’s item cannot be changed', async (context) => {
  const { register } = await testApp(context)
  const [ann, bob] = [await register(), await register()]
  const { id } = await ann.addPicture('one.jpg')
  assert.equal((await bob.patch(`/api/media/${id}`, { altTexts: { en: 'Stolen' } })).statusCode, 404)
  assert.deepEqual((await ann.get(`/api/media/${id}`)).json().altTexts, {})
})

test('an item has the languages of the websites of its collections, the main ones first', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const { id } = await ann.addPicture('one.jpg')
  for (const [name, languages] of [
    ['Harbor', ['de', 'en']],
    ['Museum', ['fr', 'de', 'it']],
  ]) {
    await ann.post('/api/websites', { name, languages })
    const collection = (await ann.post('/api/collections', { name: 'Summer', company: name })).json()
    await ann.post(`/api/collections/${collection.id}/media/${id}`)
  }
  assert.deepEqual((await ann.get(`/api/media/${id}`)).json().websiteLanguages, ['de', 'fr', 'en', 'it'])
})

test('a search finds an item by its title, alt texts, creator, credit and license', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const { id } = await ann.addPicture('one.jpg')
  await ann.addPicture('two.jpg')
  await ann.patch(`/api/media/${id}`, {
    title: 'Nightfall',
    altTexts: { de: 'Zwetschgenkuchen' },
    creator: 'Rosalind',
    credit: 'Harbourpress',
    licence: 'Rightsmanaged',
  })
  for (const search of ['nightfall', 'zwetschgen', 'rosalind', 'harbourpress', 'rightsmanaged']) {
    const found = (await ann.get(`/api/media?search=${search}`)).json().media
    assert.deepEqual(
      found.map((media: { id: number }) => media.id),
      [id],
      search,
    )
  }
})

test('a duplicate has the words of its original', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const { id } = await ann.addPicture('one.jpg')
  const words = { title: 'Pier', altTexts: { en: 'A pier' }, creator: 'Ann', licence: 'CC0' }
  await ann.patch(`/api/media/${id}`, words)
  const copy = (await ann.post(`/api/media/${id}/copy`)).json()
  const converted = await ann.post(`/api/media/${id}/convert-webp`, { quality: 80, deleteOriginal: false })
  for (const made of [copy, converted.json().media ?? converted.json()])
    assert.deepEqual([made.title, made.altTexts, made.creator, made.licence], ['Pier', { en: 'A pier' }, 'Ann', 'CC0'])
})
