import assert from 'node:assert/strict'
import { test } from 'node:test'
import pino from 'pino'
import { testApp } from '#tests/support/test-app.ts'
import { previewOf } from './page-elements.fixture.ts'
import { shareCollection, withSharedCollection } from './sharing.fixture.ts'

const formType = 'application/x-www-form-urlencoded'

test('a server error is a page for browsers and JSON for programs', async (context) => {
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  const logged = (msg: string) => lines.map((line) => JSON.parse(line)).filter((line) => line.msg === msg)
  const product = await testApp(context, {}, { log })
  const ann = await product.register()
  const { slug, media } = await shareCollection(ann, { count: 1 })
  const { publicUrlSlug } = (await ann.post(`/api/media/${media[0]!.id}/public`)).json()
  const { db } = product.services
  let fault: Error = Object.assign(new Error('the database system is starting up'), { code: '57P03' })
  const broken = [
    context.mock.method(db, 'executeQuery', () => Promise.reject(fault)),
    context.mock.method(db, 'selectFrom', () => {
      throw fault
    }),
  ]
  const visitor = product.visitor()
  const page = `/public/collections/${slug}`
  const unlock = { url: `${page}/unlock`, payload: 'password=sea', headers: { 'content-type': formType } }
  const documents = [
    await visitor.get(page),
    await visitor.get(`${page}?embed=1`),
    await visitor.get(`/public/${publicUrlSlug}`),
    await visitor.send({ method: 'POST', ...unlock }),
  ]
  for (const answer of documents) {
    assert.deepEqual([answer.statusCode, answer.headers['retry-after']], [503, '5'])
    assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8')
    const shown = previewOf(answer.body)
    assert.deepEqual([shown.title, shown.robots], ["Couldn't load this page", 'noindex'])
    assert.match(answer.body, />Please try again in a moment\.</)
  }
  assert.match(String(documents[1]!.headers['content-security-policy']), /frame-ancestors \*/, 'seen in its frame')
  assert.equal(logged('request failed').length, documents.length)
  for (const url of [`${page}/style.css`, `${page}/download`, `/api${page}`]) {
    const answer = await visitor.get(url)
    assert.deepEqual([answer.statusCode, answer.json().code], [503, 'unavailable'], url)
  }

  fault = new Error('secret detail')
  const unexpected = await visitor.get(page)
  const [{ reqId }] = logged('request failed unexpectedly') as [{ reqId: string }]
  assert.deepEqual([unexpected.statusCode, unexpected.body.includes(`(request ${reqId})`)], [500, true])
  assert.doesNotMatch(unexpected.body, /secret/)
  for (const one of broken) one.mock.restore()
  assert.equal((await visitor.get(page)).statusCode, 200)
})

test('a refused download is explained to browsers in a page and to programs in JSON', async (context) => {
  const { ann, visitor, id, slug } = await withSharedCollection(context, { count: 1 })
  const download = `/public/collections/${slug}/download`
  const refused = async (status: number, title: string, code: string) => {
    const page = await visitor.get(download, { accept: 'text/html,*/*;q=0.8' })
    assert.deepEqual([page.statusCode, previewOf(page.body).title], [status, title])
    assert.equal((await visitor.get(download)).json().code, code)
    return page
  }
  await ann.patch(`/api/collections/${id}/sharing`, { allowsDownload: false })
  const { body } = await refused(403, 'Download Not Available', 'download-not-allowed')
  assert.match(body, />The owner doesn&#39;t offer this collection for download\.</)
  assert.match(body, new RegExp(`<a [^>]*href="/public/collections/${slug}">Open the collection</a>`))
  await ann.patch(`/api/collections/${id}/sharing`, { password: 'open sesame' })
  const form = await refused(401, 'Protected collection', 'password-required')
  assert.match(form.body, new RegExp(`<form[^>]* action="/public/collections/${slug}/unlock"`))
  assert.match(String(form.headers['content-security-policy']), /form-action 'self'/)
  await ann.patch(`/api/collections/${id}/visibility`, { isPublic: false })
  await refused(404, 'Collection Not Found', 'not-found')
})
