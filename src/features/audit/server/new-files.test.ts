import assert from 'node:assert/strict'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { inflateSync } from 'node:zlib'
import sharp from 'sharp'
import { openZip } from '#engines/archive/read-zip.ts'
import { fakeWeb } from '#tests/support/fake-web.ts'
import { makeAnimation, makeJpeg, makePng } from '#tests/support/pictures.ts'
import { temporaryFolder } from '#tests/support/temporary-folder.ts'
import { type TestApp, testApp } from '#tests/support/test-app.ts'
import { auditOf, badPage, countsOf, finishAudit, picturesOf } from './audits.fixture.ts'

/** By name, the bytes of the entries. */
async function unzip(context: TestContext, bytes: Buffer): Promise<Map<string, Buffer>> {
  const path = join(await temporaryFolder(context), 'files.zip')
  await writeFile(path, bytes)
  await using zip = await openZip(path, { allowedName: /./, maxEntries: 10, maxBytes: 10_000_000 })
  const files = new Map<string, Buffer>()
  for (const entry of zip.entries) {
    const chunks: Buffer[] = []
    for await (const chunk of await zip.read(entry)) chunks.push(Buffer.from(chunk))
    files.set(entry.name, Buffer.concat(chunks))
  }
  return files
}

const temporaryFiles = ({ directory }: TestApp) => readdir(join(directory, 'tmp'))

test('measuring converts the chosen pictures at the right size, and stores nothing but the numbers', async (context) => {
  const web = await fakeWeb(context)
  const { url, heavy } = await badPage(web)
  const product = await testApp(context, web.settings)
  const ann = await product.register()
  const { id } = await finishAudit(product, ann, { urls: [url] })
  const [worst, boat] = await picturesOf(ann, id)
  const started = (await ann.post(`/api/audits/${id}/measure`, { pictures: [worst!.key, boat!.key] })).json()
  assert.equal(started.measuring.total, 2)
  await product.settled()
  const { measuring, totals } = await auditOf(ann, id)
  assert.deepEqual(countsOf(measuring), { done: 2, failed: 0, total: 2, isRunning: false })
  const [measured] = await picturesOf(ann, id)
  const { bytes, width, height, newWidth, webp, avif } = measured!.measured!
  assert.deepEqual([bytes, width, height, newWidth], [heavy.length, 1200, 800, 600])
  const expected = await sharp(heavy).resize(600).webp({ quality: 80, effort: 2 }).toBuffer()
  assert.ok(Math.abs(webp! - expected.length) < expected.length / 10, `${webp} instead of ${expected.length}`)
  assert.ok(avif! > 0 && avif! < bytes / 3)
  assert.equal(totals.measured, 2)
  assert.ok(totals.savedBytes >= bytes - Math.min(webp!, avif!) && totals.savedBytes < totals.measuredBytes)
  assert.deepEqual(await temporaryFiles(product), [])
  assert.deepEqual((await ann.get('/api/media')).json().media, [])
})

test('a picture that cannot be measured says why, and the others are measured', async (context) => {
  const web = await fakeWeb(context)
  web.file('/moving.gif', await makeAnimation('gif'), 'image/gif')
  web.file('/words.png', Buffer.from('This is no picture'), 'image/png')
  const url = web.page('/', '<title>Port</title><img src="/moving.gif"><img src="/words.png"><img src="/gone.jpg">')
  const product = await testApp(context, web.settings)
  const ann = await product.register()
  const { id } = await finishAudit(product, ann, { urls: [url] })
  const keys = ['0-0', '0-1', '0-2']
  const wrong = await ann.post(`/api/audits/${id}/measure`, { pictures: ['0-0', '7-7'] })
  assert.deepEqual([wrong.statusCode, wrong.json().message], [404, 'Picture not found'])
  assert.equal((await ann.post(`/api/audits/${id}/measure`, { pictures: [] })).statusCode, 400)
  const many = Array.from({ length: 201 }, (_, n) => `0-${n}`)
  assert.match((await ann.post(`/api/audits/${id}/measure`, { pictures: many })).json().message, /up to 200/)
  await ann.post(`/api/audits/${id}/measure`, { pictures: keys })
  await product.settled()
  const pictures = new Map((await picturesOf(ann, id)).map((picture) => [picture.key, picture]))
  const moving = pictures.get('0-0')!.measured!
  assert.deepEqual([moving.webp !== null, moving.avif], [true, null], 'an animation becomes no AVIF')
  assert.match(pictures.get('0-1')!.measuringError!, /not a JPEG, PNG, GIF or WebP/)
  assert.match(pictures.get('0-2')!.measuringError!, /404/)
  assert.deepEqual(countsOf((await auditOf(ann, id)).measuring), { done: 3, failed: 2, total: 3, isRunning: false })
  assert.deepEqual(await temporaryFiles(product), [])
})

test('the worst pictures are imported at their largest version, and known as items afterwards', async (context) => {
  const web = await fakeWeb(context)
  web.file('/small.jpg', await makeJpeg({ width: 100, height: 80 }))
  web.file('/large.jpg', await makeJpeg({ width: 300, height: 240 }))
  const url = web.page('/', '<title>Port</title><a href="/large.jpg"><img src="/small.jpg" alt="Boats at dawn"></a>')
  const product = await testApp(context, web.settings)
  const ann = await product.register()
  const { id } = await finishAudit(product, ann, { urls: [url] })
  const draft = { name: 'Northwind', languages: ['en'], namePattern: '{website}-port-{subject}' }
  const websiteId = (await ann.post('/api/websites', draft)).json().id
  const answer = await ann.post(`/api/audits/${id}/import`, {
    pictures: ['0-0'],
    namePattern: '',
    websiteId,
  })
  assert.equal(answer.statusCode, 200, answer.body)
  await product.settled()
  const [item] = (await ann.get('/api/media')).json().media
  assert.deepEqual([item.width, item.filename], [300, 'northwind-port-boats-at-dawn.jpg'])
  const [picture] = await picturesOf(ann, id)
  assert.equal(picture!.mediaId, item.id)
  const events = await ann.get(`/api/scrape-runs/events?runId=${answer.json().runId}`)
  assert.match(events.body, /"successCount":1/)
})

test('the ZIP has new files in the right size, and a table of addresses and alt texts', async (context) => {
  const web = await fakeWeb(context)
  web.file('/IMG_1.jpg', await makeJpeg({ width: 800, height: 400 }))
  web.file('/plan.png', await makePng({ width: 90, height: 50 }), 'image/png')
  const url = web.page(
    '/',
    `<title>Port</title><img src="/IMG_1.jpg" alt="=Old boats, &quot;big&quot;" width="100" height="50">
    <img src="/plan.png" alt="Plan of the quay"><img src="/gone.jpg" alt="Gone">`,
  )
  const product = await testApp(context, web.settings)
  const ann = await product.register()
  const { id } = await finishAudit(product, ann, { urls: [url] })
  await ann.post(`/api/audits/${id}/import`, { pictures: ['0-0'], namePattern: 'old-boats' })
  await product.settled()
  const [item] = (await ann.get('/api/media')).json().media
  await ann.patch(`/api/media/${item.id}`, { altTexts: { en: 'Two boats', de: 'Zwei Boote' } })
  const { publicUrl } = (await ann.post(`/api/media/${item.id}/public`)).json()
  const website = (await ann.post('/api/websites', { name: 'Northwind', languages: ['de', 'fr'] })).json().id
  const answer = await ann.get(`/api/audits/${id}/files.zip?pictures=0-0,0-1,0-2&format=avif&websiteId=${website}`)
  assert.equal(answer.statusCode, 200)
  assert.match(String(answer.headers['content-disposition']), /audit-127\.0\.0\.1-\d+-[\d-]+\.zip/)
  const files = await unzip(context, answer.rawPayload)
  assert.deepEqual([...files.keys()], ['images/old-boats.avif', 'images/northwind-plan-quay.avif', 'images.csv'])
  const facts = await sharp(files.get('images/old-boats.avif')).metadata()
  assert.deepEqual([facts.format, facts.width, facts.height], ['heif', 200, 100])
  const [head, boats, plan, gone] = files.get('images.csv')!.toString().split('\r\n')
  assert.match(
    head!,
    /^\ufeffOld address,Page,New file,New address,Old alt text,Alt text \(de\),Alt text \(fr\),Alt text \(en\),/,
  )
  const slug = publicUrl.split('/').at(-1)
  assert.match(
    boats!,
    new RegExp(
      `/IMG_1\\.jpg,.*,images/old-boats\\.avif,http://[^,]+/i/${slug},"'=Old boats, ""big""",Zwei Boote,,Two boats,`,
    ),
  )
  assert.match(boats!, /,800,200,$/)
  assert.match(plan!, /,images\/northwind-plan-quay\.avif,,Plan of the quay,,,,\d+,\d+,90,90,$/)
  assert.match(gone!, /,,,Gone,,,,,,,,Nothing was found at this URL \(404\)\.$/)
  assert.deepEqual(await temporaryFiles(product), [])
})

test('a ZIP and a report of another user’s or a deleted website are refused', async (context) => {
  const web = await fakeWeb(context)
  web.file('/a.jpg', await makeJpeg())
  const url = web.page('/', '<title>Port</title><img src="/a.jpg">')
  const product = await testApp(context, web.settings)
  const [ann, ben] = [await product.register(), await product.register()]
  const { id } = await finishAudit(product, ann, { urls: [url] })
  const website = async (user: typeof ann) =>
    (await user.post('/api/websites', { name: 'Northwind', languages: ['en'] })).json().id
  const [own, bens] = [await website(ann), await website(ben)]
  await ann.delete(`/api/websites/${own}`)
  for (const websiteId of [own, bens]) {
    for (const call of [`report.pdf?websiteId=${websiteId}`, `files.zip?pictures=0-0&websiteId=${websiteId}`]) {
      const answer = await ann.get(`/api/audits/${id}/${call}`)
      assert.deepEqual([answer.statusCode, answer.json().message], [404, 'Website not found'], call)
    }
  }
  assert.equal((await ann.get(`/api/audits/${id}/files.zip?pictures=9-9`)).statusCode, 404)
  assert.equal((await ann.get(`/api/audits/${id}/files.zip?pictures=0-0&format=gif`)).statusCode, 400)
})

/** What the pages of a PDF draw; pdfkit writes text as hexadecimal strings. */
function textOf(pdf: Buffer): string {
  const streams = pdf.toString('latin1').matchAll(/FlateDecode\n>>\nstream\n([\s\S]*?)\nendstream/g)
  const drawn = [...streams].map(([, packed]) => inflateSync(Buffer.from(packed!, 'latin1')).toString('latin1'))
  return drawn
    .join('\n')
    .replace(/<([0-9a-f]+)>(?: -?[\d.]+ )?/g, (_, hex) => Buffer.from(hex, 'hex').toString('latin1'))
}

test('the report has a summary page with the logo, and the pictures with what is wrong', async (context) => {
  const web = await fakeWeb(context)
  const { url } = await badPage(web)
  const product = await testApp(context, web.settings)
  const ann = await product.register()
  const { id } = await finishAudit(product, ann, { urls: [url, `${url}-gone`] })
  const plain = (await ann.get(`/api/audits/${id}/report.pdf`)).rawPayload
  assert.doesNotMatch(plain.toString('latin1'), /\/Subtype \/Image/)
  assert.match(textOf(plain), /Not measured/)
  const logo = await ann.addPicture('logo.png', await makePng())
  const draft = { name: 'Northwind', languages: ['en'], branding: { logoUrl: logo.originalUrl } }
  const websiteId = (await ann.post('/api/websites', draft)).json().id
  const withLogo = await ann.get(`/api/audits/${id}/report.pdf?websiteId=${websiteId}`)
  assert.equal(withLogo.headers['content-type'], 'application/pdf')
  const images = (pdf: Buffer) => pdf.toString('latin1').match(/\/Subtype \/Image/g)?.length ?? 0
  assert.equal(images(withLogo.rawPayload), 1)
  const [worst] = await picturesOf(ann, id)
  await ann.post(`/api/audits/${id}/measure`, { pictures: [worst!.key] })
  await product.settled()
  const report = (await ann.get(`/api/audits/${id}/report.pdf?websiteId=${websiteId}`)).rawPayload
  assert.equal(images(report), 2, 'a measured picture has a thumbnail')
  assert.match(report.toString('latin1'), /%%EOF\s*$/)
  const text = textOf(report)
  for (const words of [
    'Picture audit of Northwind',
    '1 page, 1 could not be read',
    '5, 3 with a problem',
    'IMG_1234.jpg',
  ])
    assert.ok(text.includes(words), `${words} in ${text.slice(0, 3000)}`)
  assert.match(text, /Larger than shown, No alt text/)
  await ann.delete(`/api/media/${logo.id}`)
  assert.equal((await ann.get(`/api/audits/${id}/report.pdf?websiteId=${websiteId}`)).statusCode, 200)
})
