import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { makeBackup, restore } from '#features/backups/server/backups.fixture.ts'
import { withPublicPicture } from '#features/delivery/server/delivery.fixture.ts'
import { multipart } from '#tests/support/multipart.ts'
import { testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import type { Website } from '../contract.ts'
import { linkEarlierCompanies } from './company.ts'

const northwind = {
  name: 'Northwind',
  url: 'northwind.example/shop',
  languages: ['de', 'EN-us', 'de'],
  tone: 'friendly',
  audience: 'hikers',
  keywords: 'tents, boots',
  namePattern: '{website}-{subject}',
  branding: { accentColor: '#ff0000', footerLine: 'Northwind Ltd.' },
  presets: [{ name: 'teaser', width: 320 }],
  creator: 'Ann',
  licence: 'CC BY 4.0',
  statesRights: true,
}

const websitesOf = async (user: TestUser): Promise<Website[]> => (await user.get('/api/websites')).json()
const namesOf = async (user: TestUser) => (await websitesOf(user)).map(({ name }) => name)
const addCollection = async (user: TestUser, draft: object) => (await user.post('/api/collections', draft)).json()

test('a website keeps what was entered, with canonical languages and a full address', async (context) => {
  const ann = await (await testApp(context)).register()
  const created = await ann.post('/api/websites', northwind)
  assert.equal(created.statusCode, 201, created.body)
  const { id, createdAt: _createdAt, updatedAt: _updatedAt, ...website } = created.json()
  assert.deepEqual(website, {
    ...northwind,
    url: 'https://northwind.example/shop',
    languages: ['de', 'en-US'],
    presets: [{ name: 'teaser', width: 320, height: null, fit: 'contain', format: 'auto', quality: null }],
    smartCollections: [],
    collectionCount: 0,
    mediaCount: 0,
  })
  const changed = await ann.patch(`/api/websites/${id}`, { tone: '', audience: null, languages: ['fr'] })
  const { tone, audience, languages, keywords } = changed.json()
  assert.deepEqual([tone, audience, languages, keywords], [null, null, ['fr'], 'tents, boots'])
  assert.deepEqual(await websitesOf(ann), [changed.json()])
})

test('invalid fields of a website are refused with a sentence, and nothing changes', async (context) => {
  const ann = await (await testApp(context)).register()
  const { id } = (await ann.post('/api/websites', northwind)).json()
  const before = await websitesOf(ann)
  const tags = Array.from({ length: 21 }, (_, index) => `en-${String(index + 100)}`)
  for (const [wrong, message] of [
    [{ languages: ['xx'] }, /"xx" is not a known language/],
    [{ languages: ['english'] }, /"english" is not a known language/],
    [{ languages: ['de_DE'] }, /"de_DE" is not a known language/],
    [{ languages: [] }, /at least one language/],
    [{ languages: tags }, /up to 20 languages/],
    [{ languages: 'de' }, /at least one language/],
    [{ name: ' ' }, /enter a name/],
    [{ name: 'a'.repeat(201) }, /up to 200 characters/],
    [{ url: 'javascript:alert(1)' }, /address like/],
    [{ url: 'https://' }, /address like/],
    [{ url: 'https://ann:secret@northwind.example' }, /address like/],
    [{ namePattern: '{client}' }, /cannot contain \{client\}/],
    [{ tone: 'a'.repeat(501) }, /up to 500 characters/],
    [{ branding: { accentColor: 'red' } }, /color like/],
    [{ branding: { logoUrl: 'http://northwind.example/logo.png' } }, /https URL/],
    [{ presets: [{ name: 'none' }] }, /width, a height/],
    [
      {
        presets: [
          { name: 'same', width: 1 },
          { name: 'same', width: 2 },
        ],
      },
      /Two presets/,
    ],
  ] as const) {
    const patched = await ann.patch(`/api/websites/${id}`, wrong)
    assert.equal(patched.statusCode, 400, JSON.stringify(wrong))
    assert.match(patched.json().message, message)
    const posted = await ann.post('/api/websites', { ...northwind, name: 'Contoso', ...wrong })
    assert.equal(posted.statusCode, 400, JSON.stringify(wrong))
  }
  assert.equal((await ann.post('/api/websites', { name: 'Contoso' })).statusCode, 400, 'without languages')
  assert.deepEqual(await websitesOf(ann), before)
})

test('two websites of a user cannot have names that differ only in case or accents', async (context) => {
  const product = await testApp(context)
  const [ann, bob] = [await product.register(), await product.register()]
  await ann.post('/api/websites', { name: 'Café', languages: ['fr'] })
  const second = await ann.post('/api/websites', { name: 'CAFE', languages: ['fr'] })
  assert.deepEqual([second.statusCode, second.json().field], [409, 'name'])
  assert.match(second.json().message, /already have a website named "Café"/)
  const { id } = (await ann.post('/api/websites', { name: 'Bar', languages: ['fr'] })).json()
  assert.equal((await ann.patch(`/api/websites/${id}`, { name: 'cafe' })).statusCode, 409)
  assert.equal((await ann.patch(`/api/websites/${id}`, { name: 'BAR' })).statusCode, 200)
  assert.deepEqual(await namesOf(ann), ['BAR', 'Café'])
  assert.equal((await bob.post('/api/websites', { name: 'Café', languages: ['fr'] })).statusCode, 201)
})

test('a collection with a known company belongs to that website, and a new company makes a website', async (context) => {
  const ann = await (await testApp(context)).register()
  const { id } = (await ann.post('/api/websites', northwind)).json()
  const media = await ann.addPicture()
  const known = await addCollection(ann, { name: 'Tents', company: 'NORTHWIND' })
  await ann.post(`/api/collections/${known.id}/media/${media.id}`)
  assert.deepEqual([known.websiteId, known.company], [id, 'NORTHWIND'])
  await ann.patch('/api/user/preferences', { aiLanguage: 'de' })
  const fresh = await addCollection(ann, { name: 'Boots', company: 'Contoso' })
  const [contoso, first] = await websitesOf(ann)
  assert.deepEqual([contoso!.id, contoso!.name, contoso!.languages], [fresh.websiteId, 'Contoso', ['de']])
  assert.deepEqual([first!.collectionCount, first!.mediaCount], [1, 1])
  assert.equal((await addCollection(ann, { name: 'None' })).websiteId, null)

  const moved = (await ann.patch(`/api/collections/${known.id}`, { company: 'contoso' })).json()
  assert.equal(moved.websiteId, fresh.websiteId)
  const loose = (await ann.patch(`/api/collections/${known.id}`, { company: '' })).json()
  assert.deepEqual([loose.websiteId, loose.company], [null, null])
  const [summary] = (await ann.get('/api/collections?summary=true')).json()
  assert.equal(summary.websiteId, null)
  assert.deepEqual(await namesOf(ann), ['Contoso', 'Northwind'])
})

test('several collections with the same new company, created at once, belong to one website', async (context) => {
  const ann = await (await testApp(context)).register()
  const created = await Promise.all(
    Array.from({ length: 8 }, (_, index) => addCollection(ann, { name: `${index}`, company: 'Contoso' })),
  )
  assert.deepEqual(await namesOf(ann), ['Contoso'])
  assert.equal(new Set(created.map(({ websiteId }) => websiteId)).size, 1)
})

test('a company that is too long for the name of a website stays text', async (context) => {
  const ann = await (await testApp(context)).register()
  const company = 'a'.repeat(201)
  const collection = await addCollection(ann, { name: 'Tents', company })
  assert.deepEqual([collection.company, collection.websiteId], [company, null])
  assert.deepEqual(await websitesOf(ann), [])
})

test('a user has at most 200 websites, and a further company stays text', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const rows = Array.from({ length: 199 }, (_, index) => ({
    owner_id: ann.id,
    name: `Website ${index}`,
    name_key: `website ${index}`,
    languages: '["en"]',
    created_at: 1,
    updated_at: 1,
  }))
  await product.services.db.insertInto('websites').values(rows).execute()
  const drafts = ['One', 'Two', 'Three'].map((name) => ({ name, languages: ['en'] }))
  const answers = await Promise.all(drafts.map((draft) => ann.post('/api/websites', draft)))
  assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [201, 409, 409])
  const refused = answers.find(({ statusCode }) => statusCode === 409)!
  assert.match(refused.json().message, /up to 200 websites/)
  const collection = await addCollection(ann, { name: 'Tents', company: 'Four' })
  assert.deepEqual([collection.company, collection.websiteId], ['Four', null])
})

test('renaming a website renames the company of its collections', async (context) => {
  const ann = await (await testApp(context)).register()
  const { id } = (await ann.post('/api/websites', northwind)).json()
  const one = await addCollection(ann, { name: 'Tents', company: 'Northwind' })
  const other = await addCollection(ann, { name: 'Boots', company: 'Contoso' })
  await ann.patch(`/api/websites/${id}`, { name: 'Southwind' })
  const companyOf = async (collection: { id: number }) =>
    (await ann.get(`/api/collections/${collection.id}`)).json().company
  assert.deepEqual([await companyOf(one), await companyOf(other)], ['Southwind', 'Contoso'])
})

test('deleting a website keeps its collections with the company, without the link', async (context) => {
  const ann = await (await testApp(context)).register()
  const { id } = (await ann.post('/api/websites', northwind)).json()
  const collection = await addCollection(ann, { name: 'Tents', company: 'Northwind' })
  const deleted = await ann.delete(`/api/websites/${id}`)
  assert.match(deleted.json().message, /"Northwind" was deleted. 1 collection kept/)
  const left = (await ann.get(`/api/collections/${collection.id}`)).json()
  assert.deepEqual([left.company, left.websiteId], ['Northwind', null])
  assert.equal((await ann.delete(`/api/websites/${id}`)).statusCode, 404)

  await ann.patch(`/api/collections/${collection.id}`, { ...left, name: 'Big tents' })
  assert.deepEqual(await websitesOf(ann), [], 'a change of the collection does not bring it back')
  const again = (await ann.post('/api/websites', northwind)).json()
  assert.equal(again.collectionCount, 1, 'a new website of this name takes the collection')
})

test("a website of another user is not found, and their companies do not link to each other's", async (context) => {
  const product = await testApp(context)
  const [ann, bob] = [await product.register(), await product.register()]
  const { id } = (await ann.post('/api/websites', northwind)).json()
  assert.equal((await bob.patch(`/api/websites/${id}`, { name: 'Mine' })).statusCode, 404)
  assert.equal((await bob.delete(`/api/websites/${id}`)).statusCode, 404)
  const collection = await addCollection(bob, { name: 'Tents', company: 'Northwind' })
  assert.notEqual(collection.websiteId, id)
  assert.deepEqual(await namesOf(ann), ['Northwind'])
})

test('a new collection of a website begins with its branding, which later changes leave alone', async (context) => {
  const ann = await (await testApp(context)).register()
  const customCss = '.pub-title { color: green } @import "x.css";'
  const branding = { accentColor: '#ff0000', footerLine: 'Tents & more', customCss }
  const { id } = (await ann.post('/api/websites', { ...northwind, branding })).json()
  const collection = await addCollection(ann, { name: 'Tents', company: 'Northwind' })
  assert.equal(collection.customBranding.accentColor, '#ff0000')
  await ann.patch(`/api/websites/${id}`, { branding: { accentColor: '#00ff00' } })
  const { customBranding } = (await ann.get(`/api/collections/${collection.id}`)).json()
  assert.equal(customBranding.accentColor, '#ff0000')
  const { publicSlug } = (await ann.patch(`/api/collections/${collection.id}/visibility`, { isPublic: true })).json()
  const page = await ann.get(`/public/collections/${publicSlug}`)
  assert.match(page.body, /<p class="pub-footer-line" dir="auto">Tents &amp; more<\/p>/)
  const style = await ann.get(/href="([^"]+style\.css[^"]*)"/.exec(page.body)![1]!.replaceAll('&amp;', '&'))
  assert.match(style.body, /color:\s*green/)
  assert.doesNotMatch(style.body, /x\.css/)
})

test('a duplicate for another website takes its branding and keeps the title', async (context) => {
  const ann = await (await testApp(context)).register()
  await ann.post('/api/websites', northwind)
  const { id } = await addCollection(ann, { name: 'Tents', company: 'Contoso' })
  await ann.patch(`/api/collections/${id}/branding`, { title: 'Our tents', accentColor: '#0000ff' })
  const copyFor = async (company?: string) =>
    (await ann.post(`/api/collections/${id}/duplicate`, { name: 'Copy', company })).json().collection
  const other = await copyFor('northwind')
  assert.deepEqual([other.customBranding.title, other.customBranding.accentColor], ['Our tents', '#ff0000'])
  const same = await copyFor('Contoso')
  assert.equal(same.customBranding.accentColor, '#0000ff')
  assert.equal((await copyFor()).websiteId, null)
})

test('collections from before there were websites are linked by their company, once', async (context) => {
  const product = await testApp(context)
  const { db } = product.services
  const [ann, bob] = [await product.register(), await product.register()]
  const drafts = [{ name: 'One', company: 'Contoso' }, { name: 'Two', company: 'CONTOSO' }, { name: 'Three' }]
  for (const draft of drafts) await addCollection(ann, draft)
  await addCollection(bob, { name: 'Four', company: 'Contoso' })
  await db.updateTable('collections').set({ website_id: null }).execute()
  await db.deleteFrom('websites').execute()
  await linkEarlierCompanies(db)
  assert.deepEqual(await websitesOf(ann), [], 'a new library has nothing to link')

  await db.deleteFrom('settings').where('name', '=', 'companies-linked').execute()
  await linkEarlierCompanies(db)
  const linked = await websitesOf(ann)
  assert.deepEqual(
    linked.map(({ name, collectionCount }) => [name, collectionCount]),
    [['Contoso', 2]],
  )
  assert.equal((await websitesOf(bob))[0]!.collectionCount, 1)
  await ann.delete(`/api/websites/${linked[0]!.id}`)
  await linkEarlierCompanies(db)
  assert.deepEqual(await websitesOf(ann), [], 'a deleted website does not come back at the next start')
})

test('websites and their links survive a restore', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  await ann.post('/api/websites', northwind)
  await addCollection(ann, { name: 'Tents', company: 'Northwind' })
  const before = await websitesOf(ann)
  const backup = await makeBackup(ann)
  await ann.delete(`/api/websites/${before[0]!.id}`)
  await restore(product, ann, backup.id)
  assert.deepEqual(await websitesOf(ann), before)
})

test("a website's presets apply to items in its collections, and come before the user's of the same name", async (context) => {
  const { ann, visitor, product, address, id } = await withPublicPicture(context)
  const bob = await product.register('bob')
  const presets = [
    { name: 'teaser', width: 30 },
    { name: 'card', width: 20 },
  ]
  await ann.post('/api/websites', { ...northwind, presets })
  await bob.post('/api/websites', { ...northwind, presets: [{ name: 'bobs', width: 10 }] })
  const widthOf = async (preset: string) => {
    const answer = await visitor.get(`${address}.png?p=${preset}`)
    return answer.statusCode === 200 ? (await sharp(answer.rawPayload).metadata()).width : answer.statusCode
  }
  assert.deepEqual([await widthOf('teaser'), await widthOf('card')], [404, 800])
  const collection = await addCollection(ann, { name: 'Tents', company: 'Northwind' })
  await ann.post(`/api/collections/${collection.id}/media/${id}`)
  assert.deepEqual([await widthOf('teaser'), await widthOf('card'), await widthOf('bobs')], [30, 20, 404])
  const listed: { name: string; width: number }[] = (await ann.get(`/api/presets?mediaId=${id}`)).json()
  const told = listed.map(({ name, width }) => `${name} ${width}`)
  assert.deepEqual(told, ['teaser 30', 'card 20', 'thumb 400', 'hero 1920', 'share 1200', 'square 1080'])
  const files = [{ preset: 'teaser', format: 'webp' }]
  const { addresses } = (await ann.post(`/api/media/${id}/addresses`, { files })).json()
  assert.equal(addresses[0].width, 30)
})

test('a library from before there were websites gets websites from its companies', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  await addCollection(ann, { name: 'Tents', company: 'Northwind' })
  const document = JSON.parse((await ann.get('/api/admin/database/download')).body)
  delete document.tables.websites
  for (const collection of document.tables.collections) delete collection.website_id
  const bytes = Buffer.from(JSON.stringify(document, null, 1))
  const upload = multipart([{ name: 'library.json', bytes }], {}, 'database')
  const answer = await ann.send({ method: 'POST', url: '/api/admin/database/upload', ...upload })
  assert.equal(answer.statusCode, 200, answer.body)
  const [website] = await websitesOf(ann)
  assert.deepEqual([website?.name, website?.collectionCount], ['Northwind', 1])
})

test('a backup that was made after the last website was deleted brings none back', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const { websiteId, id } = await addCollection(ann, { name: 'Tents', company: 'Northwind' })
  await ann.delete(`/api/websites/${websiteId}`)
  await restore(product, ann, (await makeBackup(ann)).id)
  assert.deepEqual(await websitesOf(ann), [])
  assert.equal((await ann.get(`/api/collections/${id}`)).json().company, 'Northwind')
})
