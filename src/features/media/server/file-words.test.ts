import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { multipart } from '#tests/support/multipart.ts'
import { makeJpeg } from '#tests/support/pictures.ts'
import { testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'

/** Pictures with words that other programs wrote. */
const pictureOf = (name: string) => readFile(new URL(`../../../engines/metadata/pictures/${name}`, import.meta.url))

const replace = (user: TestUser, id: number, bytes: Uint8Array) =>
  user.send({
    method: 'POST',
    url: `/api/media/${id}/replace`,
    ...multipart([{ name: 'new.jpg', bytes }], {}, 'file'),
  })

test('an uploaded image has the words that another program wrote into its file', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const media = await ann.addPicture('pier.jpg', await pictureOf('exiftool-xmp.jpg'))
  const { title, userDescription, aiTags, creator, credit, licence, sourceUrl, altTexts, tagOrigins } = media
  assert.deepEqual(
    { title, userDescription, aiTags, creator, credit, licence, sourceUrl, altTexts },
    {
      title: 'Evening at the pier',
      userDescription: 'A wooden pier\nat dusk',
      aiTags: ['pier', 'öresund'],
      creator: 'Ann Example, Bob Example',
      credit: 'Example Press',
      licence: '© 2024 Ann Example',
      sourceUrl: 'https://example.com/pier',
      altTexts: { en: 'A pier at dusk', 'de-AT': 'Ein Steg am Abend' },
    },
  )
  assert.ok(tagOrigins.every(({ source }) => source === 'person'))
  const found = (await ann.get('/api/media?search=steg%20am%20abend')).json().media
  assert.equal(found[0]?.id, media.id)
  const unnamed = await ann.addPicture('pier.png', await pictureOf('exiftool-xmp.png'))
  assert.deepEqual(unnamed.altTexts, { en: 'A pier at dusk' }, 'a text of no language is taken as English')
})

test('a replaced file adds words only where there are none, and no tag that was removed', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const { id } = await ann.addPicture('pier.jpg', await makeJpeg())
  await ann.patch(`/api/media/${id}`, { aiTags: ['pier', 'sea'] })
  await ann.patch(`/api/media/${id}`, {
    title: 'My title',
    userDescription: 'My words',
    altTexts: { en: 'My alt text' },
    aiTags: ['sea'],
  })
  const answer = await replace(ann, id, await pictureOf('exiftool-xmp.jpg'))
  assert.equal(answer.statusCode, 200, answer.body)
  const { title, userDescription, aiTags, creator, altTexts } = (await ann.get(`/api/media/${id}`)).json()
  assert.deepEqual(
    { title, userDescription, aiTags, creator, altTexts },
    {
      title: 'My title',
      userDescription: 'My words',
      aiTags: ['sea', 'öresund'],
      creator: 'Ann Example, Bob Example',
      altTexts: { en: 'My alt text', 'de-AT': 'Ein Steg am Abend' },
    },
  )
})

test('a replaced file with alt texts in all languages that fit keeps the ones that a person wrote', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const [{ id }, other] = [await ann.addPicture('mine.jpg', await makeJpeg()), await ann.addPicture('other.jpg')]
  const tags =
    'af am ar az be bg bn bs ca cs cy da de el en es et eu fa fi fr ga gl gu he hi hr hu hy id is it ja ka kk km kn ko ky lo lt lv mk ml mn mr ms my ne nl'
  const altTexts = Object.fromEntries(tags.split(' ').map((tag) => [tag, `A pier in ${tag}`]))
  assert.equal((await ann.patch(`/api/media/${other.id}`, { altTexts })).statusCode, 200)
  await ann.patch(`/api/media/${id}`, { altTexts: { zu: 'Mine' } })
  const { rawPayload } = await ann.get(`${other.originalUrl}?download=1&metadata=1`)
  assert.equal((await replace(ann, id, rawPayload)).statusCode, 200)
  const merged = (await ann.get(`/api/media/${id}`)).json().altTexts
  assert.deepEqual([merged.zu, merged.af, Object.keys(merged).length], ['Mine', 'A pier in af', 50])
})

test('an image whose words are hostile is uploaded without them', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const rdf = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dc="http://purl.org/dc/elements/1.1/"'
  const body = (title: string) =>
    `<rdf:RDF ${rdf}><rdf:Description><dc:title>${title}</dc:title></rdf:Description></rdf:RDF>`
  const bomb = `<!DOCTYPE x [<!ENTITY a "${'ha'.repeat(1000)}"><!ENTITY b "${'&a;'.repeat(100)}">]>${body('&b;')}`
  for (const packet of [bomb, '<a>'.repeat(20_000), '\ud800<', body('&#0;&#xD800;\u0007')]) {
    const media = await ann.addPicture('hostile.jpg', withXmp(await makeJpeg(), packet))
    assert.deepEqual([media.userDescription, media.aiTags, media.altTexts], [null, [], {}], packet.slice(0, 20))
    assert.ok([null, '\ufffd'].includes(media.title), packet.slice(0, 20))
  }
})

test('an XMP block of 50 MB is not read', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const packet = Buffer.alloc(50 * 1024 * 1024, ' ')
  packet.write('<x:xmpmeta xmlns:x="adobe:ns:meta/">')
  const header = Buffer.alloc(8)
  header.write('XMP ', 'latin1')
  header.writeUInt32LE(packet.length, 4)
  const webp = await pictureOf('webpmux-xmp.webp')
  const chunk = webp.indexOf('XMP ', 0, 'latin1')
  const bytes = Buffer.concat([webp.subarray(0, chunk), header, packet])
  bytes.writeUInt32LE(bytes.length - 8, 4)
  const media = await ann.addPicture('large.webp', bytes)
  assert.deepEqual([media.title, media.altTexts], [null, {}])
})

function withXmp(jpeg: Buffer, packet: string) {
  const payload = Buffer.from(`http://ns.adobe.com/xap/1.0/\0${packet}`)
  const header = Buffer.of(0xff, 0xe1, 0, 0)
  header.writeUInt16BE(payload.length + 2, 2)
  return Buffer.concat([jpeg.subarray(0, 2), header, payload, jpeg.subarray(2)])
}
