import assert from 'node:assert/strict'
import { test } from 'node:test'
import { multipart } from '#tests/support/multipart.ts'
import { elementsOf } from './page-elements.fixture.ts'
import { shareCollection, withSharedCollection } from './sharing.fixture.ts'

test('names, texts and branding are escaped in pages, styles and link previews', async (context) => {
  const samples = [
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    '</title><script>alert(1)</script>',
    '0;url=javascript:alert(1)" http-equiv="refresh',
    '{{constructor.constructor("alert(1)")()}}',
    '\u202egpj.exe</style><svg onload=alert(1)>',
  ]
  const { ann, visitor } = await withSharedCollection(context, { count: 0 })
  for (const sample of samples) {
    const shared = await shareCollection(ann, { name: sample, count: 1 })
    await ann.patch(`/api/collections/${shared.id}`, { description: sample })
    await ann.patch(`/api/media/${shared.media[0]!.id}`, {
      filename: sample,
      userDescription: sample,
      aiDescription: sample,
      aiTags: [sample.slice(0, 50)],
    })
    const branding = {
      title: sample,
      subtitle: sample,
      customCss: `${sample} .a{color:red;background:url(//evil.example)}`,
    }
    assert.equal((await ann.patch(`/api/collections/${shared.id}/branding`, branding)).statusCode, 200)
    const item = (await ann.post(`/api/media/${shared.media[0]!.id}/public`)).json()
    const page = `/public/collections/${shared.slug}`
    const preview = (await ann.post(`/api/collections/${shared.id}/preview`, branding)).json().html
    const pages = [page, `${page}?embed=1`, `/public/${item.publicUrlSlug}`]
    for (const body of [preview, ...(await Promise.all(pages.map(async (url) => (await visitor.get(url)).body)))]) {
      for (const { nodeName, at } of elementsOf(body)) {
        // A data block is not run.
        const isData = at.type === 'application/ld+json'
        assert.ok(nodeName !== 'script' || isData || /^\/assets\//.test(at.src ?? ''), `${nodeName} of ${sample}`)
        assert.ok(!['svg', 'iframe', 'object', 'embed', 'form'].includes(nodeName), nodeName)
        assert.deepEqual(
          Object.keys(at).filter((name) => name.startsWith('on') || name === 'http-equiv' || name === 'style'),
          [],
        )
        for (const value of [at.href, at.src]) assert.doesNotMatch(value ?? '', /^\s*(javascript|data):|evil\.example/i)
      }
    }
    const style = await visitor.get(`${page}/style.css`)
    assert.equal(style.headers['content-type'], 'text/css; charset=utf-8')
    assert.doesNotMatch(style.body, /<|url\(|@import|evil/)
  }
})

test('invalid colors and image addresses are refused', async (context) => {
  const { ann, id } = await withSharedCollection(context, { count: 0 })
  const refused = [
    { backgroundColor: 'red;}body{display:none' },
    { textColor: 'url(//evil.example)' },
    { accentColor: '#12' },
    { logoUrl: 'javascript:alert(1)' },
    { logoUrl: 'http://plain.example/logo.png' },
    { logoUrl: 'http://plain.example/files/1/0123456789ab/logo.png' },
    { headerImage: 'data:image/svg+xml,<svg onload=alert(1)>' },
    { headerImage: '//evil.example/x.png' },
    { customCss: 'a'.repeat(20_001) },
  ]
  for (const branding of refused)
    assert.equal(
      (await ann.patch(`/api/collections/${id}/branding`, branding)).statusCode,
      400,
      JSON.stringify(branding),
    )
})

test('the style sheet has the owner’s colors and the allowed part of their CSS', async (context) => {
  const { ann, visitor, id, slug } = await withSharedCollection(context)
  const customCss = '.pub-title { letter-spacing: 2px }\n@import "x";'
  await ann.patch(`/api/collections/${id}/branding`, { backgroundColor: '#101820', accentColor: '#fee715', customCss })
  const { body } = await visitor.get(`/public/collections/${slug}/style.css`)
  assert.match(
    body,
    /color-scheme:dark;--pub-background:#101820;--pub-text:#000000;--pub-accent:#fee715;--pub-on-accent:#000000/,
  )
  assert.match(body, /\n\.pub-root \.pub-title\{letter-spacing:2px\}$/)
  const preview = (await ann.post(`/api/collections/${id}/preview`, { customCss })).json()
  assert.deepEqual(preview.refused, [
    { text: '@import "x";', reason: '@import is not allowed; only @media is.', line: 2 },
  ])
  assert.equal((await visitor.post(`/api/collections/${id}/preview`, { customCss })).statusCode, 401)
})

test('a visitor gets the CSS as it was checked when it was saved', async (context) => {
  const { product, ann, visitor, id, slug } = await withSharedCollection(context)
  await ann.patch(`/api/collections/${id}/branding`, { customCss: '.pub-title { letter-spacing: 2px }' })
  const rows = product.services.db.updateTable('collections').where('id', '=', id)
  await rows.set({ checked_css: '.pub-root .pub-title{color:#123}', updated_at: 1 }).execute()
  const { body } = await visitor.get(`/public/collections/${slug}/style.css`)
  assert.match(body, /\n\.pub-root \.pub-title\{color:#123\}$/)
  await ann.patch(`/api/collections/${id}/branding`, { customCss: '' })
  assert.doesNotMatch((await visitor.get(`/public/collections/${slug}/style.css`)).body, /pub-title/)
})

test('a duplicate has the checked CSS of its collection', async (context) => {
  const { ann, visitor, id } = await withSharedCollection(context)
  await ann.patch(`/api/collections/${id}/branding`, { customCss: '.pub-title { letter-spacing: 2px }' })
  const { collection } = (await ann.post(`/api/collections/${id}/duplicate`, { name: 'Winter' })).json()
  const { publicSlug } = (await ann.patch(`/api/collections/${collection.id}/visibility`, { isPublic: true })).json()
  assert.match((await visitor.get(`/public/collections/${publicSlug}/style.css`)).body, /letter-spacing:2px/)
})

test('restored CSS is checked again, and a database with CSS that claims to be checked is refused', async (context) => {
  const { ann, visitor, id, slug } = await withSharedCollection(context, { count: 0 })
  await ann.patch(`/api/collections/${id}/branding`, { customCss: '.pub-title { letter-spacing: 2px }' })
  const library = (await ann.get('/api/admin/database/download')).body
  const restore = (text: string) => {
    const body = multipart([{ name: 'database.json', bytes: Buffer.from(text) }], {}, 'database')
    return ann.send({ method: 'POST', url: '/api/admin/database/upload', ...body })
  }
  const foreign = library.replace('letter-spacing: 2px', 'letter-spacing: 3px; position: fixed')
  assert.equal((await restore(foreign)).statusCode, 200)
  const { body } = await visitor.get(`/public/collections/${slug}/style.css`)
  assert.match(body, /\n\.pub-root \.pub-title\{letter-spacing:3px\}$/)
  const forged = library.replace('"branding":', '"checked_css":"body{color:red}","branding":')
  assert.equal((await restore(forged)).statusCode, 400)
})

test('other requests are answered between pages that are drawn for many host names', async (context) => {
  const { product, slug } = await withSharedCollection(context, { count: 20 })
  let turn = 0
  let isDone = false
  const count = () => {
    turn++
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  const turns = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const headers = { host: `host-${index}.example` }
      const { statusCode } = await product.app.inject({ url: `/public/collections/${slug}`, headers })
      assert.equal(statusCode, 200)
      return turn
    }),
  )
  isDone = true
  assert.ok(new Set(turns).size >= 18, turns.join(' '))
})

test('all pages beyond the last are drawn once', async (context) => {
  const { product, visitor, slug } = await withSharedCollection(context)
  const select = context.mock.method(product.services.db, 'selectFrom')
  const queriesFor = async (page: number) => {
    select.mock.resetCalls()
    assert.match((await visitor.get(`/public/collections/${slug}?page=${page}`)).body, /no more items on this page/)
    return select.mock.callCount()
  }
  await queriesFor(1000)
  assert.equal(await queriesFor(2000), await queriesFor(2000), 'the first one is not drawn either')
})

test('the style sheet of a page beyond the last is 404', async (context) => {
  const { visitor, slug } = await withSharedCollection(context)
  const path = `/public/collections/${slug}`
  assert.equal((await visitor.get(`${path}/style.css?page=1`)).statusCode, 200)
  assert.equal((await visitor.get(`${path}/style.css?page=2`)).statusCode, 404)
  const beyond = elementsOf((await visitor.get(`${path}?page=2`)).body)
  const style = beyond.find(({ at }) => at.rel === 'stylesheet' && at.href?.includes('style.css'))
  assert.equal((await visitor.get(style!.at.href!)).statusCode, 200)
})

test('pages run no inline or third-party scripts, and only the embedded view can be framed', async (context) => {
  const { ann, visitor, id, slug } = await withSharedCollection(context)
  const page = await visitor.get(`/public/collections/${slug}`)
  const policy = String(page.headers['content-security-policy'])
  assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self';/)
  assert.match(policy, /form-action 'none'; frame-ancestors 'self'/)
  assert.match(String(page.headers['cache-control']), /no-cache/)
  const embedded = await visitor.get(`/public/collections/${slug}?embed=1`)
  assert.match(String(embedded.headers['content-security-policy']), /form-action 'none'; frame-ancestors \*/)
  assert.doesNotMatch(String(embedded.headers['content-security-policy']), /script-src/)
  assert.equal(embedded.headers['x-frame-options'], undefined)
  assert.doesNotMatch(embedded.body, /<script/)
  const links = elementsOf(embedded.body).filter(({ nodeName }) => nodeName === 'a')
  for (const { at } of links)
    assert.deepEqual([at.href, at.target, at.rel], [`/public/collections/${slug}`, '_blank', 'noopener'])

  await ann.patch(`/api/collections/${id}/sharing`, { password: 'open sesame' })
  const locked = await visitor.get(`/public/collections/${slug}?embed=1`)
  assert.equal(locked.statusCode, 401)
  assert.match(String(locked.headers['content-security-policy']), /frame-ancestors \*/)
  // Browsers drop cookies set inside a third-party frame, so the password is asked for in a tab of its own.
  const toPress = elementsOf(locked.body).filter(({ nodeName }) => ['a', 'form', 'input', 'button'].includes(nodeName))
  assert.deepEqual(
    toPress.map(({ nodeName, at }) => [nodeName, at.href, at.target, at.rel]),
    [['a', `/public/collections/${slug}`, '_blank', 'noopener']],
  )
})
