import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inflateSync } from 'node:zlib'
import { unavailable } from '#platform/errors.ts'
import { makeJpeg } from '#tests/support/pictures.ts'
import { testApp } from '#tests/support/test-app.ts'

test('an exported document contains the requested items in each format', async (context) => {
  const { register, visitor, services } = await testApp(context)
  const ann = await register()
  const media = await ann.addPicture('=cmd.jpg')
  await ann.patch(`/api/media/${media.id}`, { userDescription: 'Łódź, "quoted"', aiTags: ['boat'] })
  const get = (format: string) => ann.post('/api/media/export', { mediaIds: [media.id], format })
  const csv = (await get('csv')).body
  assert.match(csv, /^\ufeffName,Size/)
  assert.match(csv, /\r\n'=cmd\.jpg,/, 'a formula becomes text')
  assert.match(csv, /"Łódź, ""quoted"""/)
  const inWords = (await get('md')).body
  assert.match(inWords, /^# Media from Albumen\n\n1 item, /)
  assert.match(inWords, /## =cmd\.jpg[\s\S]*Tags: boat/)
  assert.doesNotMatch(
    inWords + csv,
    /thumbnail\.webp/,
    'readers without a session cannot load the thumbnail of a private item',
  )
  await ann.post(`/api/media/${media.id}/public`)
  const picture = /!\[=cmd\.jpg\]\(<http:\/\/[^/]+(\/files\/[^>]+)>\)/.exec((await get('md')).body)?.[1]
  assert.equal((await visitor().get(picture!)).headers['content-type'], 'image/webp')
  assert.match((await get('csv')).body, new RegExp(`,http://[^/,]+${picture}\\r\\n$`))
  // After a restore there are no thumbnails until an item is viewed for the first time.
  const { blob } = await services.db.selectFrom('media').select('blob').executeTakeFirstOrThrow()
  await services.storage.derived.remove(blob)
  const pdf = await get('pdf')
  assert.equal(pdf.headers['content-type'], 'application/pdf')
  assert.match(pdf.rawPayload.toString('latin1'), /^%PDF-[\s\S]*\/Subtype \/Image[\s\S]*%%EOF\s*$/)
  const docx = await get('docx')
  assert.equal(docx.rawPayload.subarray(0, 2).toString(), 'PK')
  for (const part of ['[Content_Types].xml', 'word/document.xml', 'word/media/1.jpg'])
    assert.ok(docx.rawPayload.includes(part), part)
  context.mock.method(services.storage.derived, 'withLocalFile', async () => {
    throw unavailable('The storage is away.')
  })
  for (const format of ['docx', 'pdf']) assert.equal((await get(format)).json().message, 'The storage is away.')
})

test('an exported document contains title, alt texts, creator, license and source', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const { id } = await ann.addPicture('pier.jpg')
  const altTexts = { en: 'A pier, at dusk', de: 'Ein Steg' }
  const rights = { creator: 'Ann', credit: '=Ann Press', licence: 'CC BY 4.0', sourceUrl: 'https://example.com/pier' }
  await ann.patch(`/api/media/${id}`, { title: 'Dusk', altTexts, ...rights })
  const get = async (format: string) => (await ann.post('/api/media/export', { mediaIds: [id], format })).body
  assert.ok(
    (await get('csv')).includes(`,Dusk,Ein Steg,"A pier, at dusk",Ann,'=Ann Press,CC BY 4.0,https://example.com/pier,`),
  )
  const inWords = await get('md')
  assert.match(inWords, /- Title: Dusk\n- Alt text: en: A pier, at dusk\n- Alt text: de: Ein Steg\n- Creator: Ann\n/)
  assert.match(inWords, /- License: CC BY 4\.0\n/)
  assert.match(await get('pdf'), /^%PDF-/)
  assert.match(await get('docx'), /^PK/)
})

test('Markdown special characters in names and texts are escaped in an export', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const { id } = await ann.addPicture()
  const exported = async (userDescription: string) => {
    await ann.patch(`/api/media/${id}`, { userDescription })
    return (await ann.post('/api/media/export', { mediaIds: [id], format: 'md' })).body
  }
  const written = {
    '~~~ summer ~~~': '\\~\\~\\~ summer \\~\\~\\~',
    'Tom &amp; Jerry': 'Tom \\&amp; Jerry',
    '---': '\\---',
    '+ one more': '\\+ one more',
    '12. May': '12\\. May',
    '1.5 m - no more': '1.5 m - no more',
  }
  for (const [description, expected] of Object.entries(written))
    assert.ok((await exported(description)).endsWith(`\n\n${expected}\n`), description)
})

test('a tall screenshot fits on the page of an exported PDF', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const { id } = await ann.addPicture('page.jpg', await makeJpeg({ width: 60, height: 600 }))
  const { rawPayload } = await ann.post('/api/media/export', { mediaIds: [id], format: 'pdf' })
  const packed = rawPayload.toString('latin1').matchAll(/FlateDecode\n>>\nstream\n([\s\S]*?)\nendstream/g)
  const drawn = Array.from(packed, ([, page]) => inflateSync(Buffer.from(page!, 'latin1')).toString('latin1')).join()
  const [, width, height] = /([\d.]+) 0 0 -([\d.]+) [\d.]+ [\d.]+ cm\n\/I1 Do/.exec(drawn) ?? []
  assert.ok(Number(height) <= 700, `received ${width} × ${height}`)
  assert.equal(Math.round(Number(height) / Number(width)), 10)
})
