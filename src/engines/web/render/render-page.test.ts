import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { findChromium } from '#tests/support/browser-binary.ts'
import { openSite, type TestSite } from '../test-site.ts'
import { createPageRenderer, type DrawnPage } from './render-page.ts'

const chromiumPath = await findChromium()

/** A temporary folder that only this test uses, so that any file left in it is from the renderer. */
async function ownTemporaryFolder(context: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'albumen-test-'))
  const { TMPDIR = '' } = process.env
  context.after(() => {
    process.env.TMPDIR = TMPDIR
    // Node's `rm` cannot remove the deep folder that one of the tests creates.
    execFileSync('rm', ['-rf', folder])
  })
  process.env.TMPDIR = folder
  return folder
}

/** Limits for a page that blocks its own last script until the test is done, so that a slow machine does not fail the test. */
const patient = { pageMs: 120_000 }

async function render(site: TestSite, page: DrawnPage, limits = {}, others: TestSite[] = []) {
  const allowHosts = [site, ...others].map(({ pair }) => pair)
  const renderer = createPageRenderer({ chromiumPath, allowHosts, limits })
  try {
    return await renderer.render(page)
  } finally {
    await renderer.close()
  }
}

test('a page is rendered with its scripts, data and style sheets, and no picture is downloaded', async () => {
  const script = `
    const show = async (src, alt) => {
      const image = Object.assign(new Image(), { src, alt })
      document.body.append(image)
      await image.decode()
    }
    fetch('/pictures.json').then((answer) => answer.json()).then(async (pictures) => {
      new IntersectionObserver(async ([entry], watch) => {
        if (!entry.isIntersecting) return
        watch.disconnect()
        await show('/seen.jpg', 'Seen late')
        fetch('/seen')
      }).observe(document.getElementById('end'))
      addEventListener('scroll', () => fetch('/until-seen'), { once: true })
      await Promise.all(pictures.map((src) => show(src, 'Drawn ' + src)))
      fetch('/drawn')
    })`
  const files: Record<string, [string, string]> = {
    '/app.js': ['text/javascript', script],
    '/pictures.json': ['application/json', '["/one.jpg","/two.jpg"]'],
    '/app.css': ['text/css', 'body { background: url(/ground.jpg) }'],
  }
  const [drawn, seen] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await using site = await openSite(async ({ url }, response) => {
    if (url === '/drawn') drawn.resolve()
    if (url === '/seen') seen.resolve()
    if (url === '/until-drawn.js') await drawn.promise
    if (url === '/until-seen') await seen.promise
    if (url === '/moved.js') return response.writeHead(302, { location: '/app.js' }).end()
    const file = files[url!]
    if (!file) return response.writeHead(404).end()
    response.writeHead(200, { 'content-type': file[0] }).end(file[1])
  })
  const html = `<link rel="stylesheet" href="/app.css"><body><div style="height: 5000px"></div><p id="end">.</p>
    <script src="/moved.js"></script><script src="/until-drawn.js"></script>`
  const { html: told, wanted } = await render(site, { url: `${site.origin}/`, html }, patient)
  assert.match(told, /<img src="\/one\.jpg" alt="Drawn \/one\.jpg"/)
  assert.match(told, /Seen late/)
  const paths = ['ground', 'one', 'seen', 'two'].map((name) => `${site.origin}/${name}.jpg`)
  assert.deepEqual(wanted.toSorted(), paths)
  const asked = [
    '/app.css',
    '/app.js',
    '/drawn',
    '/moved.js',
    '/pictures.json',
    '/seen',
    '/until-drawn.js',
    '/until-seen',
  ]
  assert.deepEqual(site.hits.toSorted(), asked)
})

test('a hostile page cannot reach the private network through any API of a browser', async () => {
  await using canary = await openSite((_request, response) => void response.end('secret'))
  const packets: Buffer[] = []
  const udp = createSocket('udp4', (packet) => packets.push(packet)).bind(0, '127.0.0.1')
  await once(udp, 'listening')
  const end = Promise.withResolvers<void>()
  await using site = await openSite(async ({ url }, response) => {
    if (url === '/end') end.resolve()
    if (url === '/until-end.js') await end.promise
    if (url === '/inside') return response.writeHead(302, { location: `${canary.origin}/redirected` }).end()
    if (url !== '/told') return response.writeHead(404).end()
    response.writeHead(200, { 'content-type': 'text/plain' }).end('outside')
  })
  const [inside, port] = [canary.origin, udp.address().port]
  const html = `<body><p id="log"></p>
    <link rel="preconnect" href="${inside}"><link rel="prefetch" href="${inside}/prefetch">
    <link rel="stylesheet" href="${inside}/style.css"><script src="${inside}/script.js"></script>
    <img src="${inside}/picture.jpg"><video src="${inside}/film.mp4" autoplay></video>
    <iframe src="${inside}/frame"></iframe><iframe src="file:///etc/passwd"></iframe>
    <iframe srcdoc="<img src='${inside}/nested.jpg'><script src='${inside}/nested.js'></script>"></iframe>
    <object data="${inside}/object"></object>
    <form id="form" method="post" action="${inside}/form"></form><a id="file" download href="${inside}/download">x</a>
    <script>
      const tell = (text) => { document.getElementById('log').textContent += text + ';' }
      const attempts = []
      const attempt = (name, work) => {
        attempts.push(Promise.try(work).then((given) => tell(name + '=' + given), () => tell(name + ' failed')))
      }
      const text = (address, init) => fetch(address, init).then((answer) => answer.text())
      attempt('outside', () => text('/told'))
      attempt('fetch', () => text('${inside}/fetch'))
      attempt('localhost', () => text('${inside.replace('127.0.0.1', 'localhost')}/localhost'))
      attempt('redirect', () => text('/inside'))
      attempt('post', () => text('/told', { method: 'POST', body: 'x' }))
      attempt('file', () => text('file:///etc/passwd'))
      attempt('socket', () => new Promise((resolve, reject) => {
        const socket = new WebSocket('${inside.replace('http', 'ws')}/socket')
        socket.onmessage = resolve
        socket.onerror = socket.onclose = reject
      }))
      attempt('events', () => new Promise((resolve, reject) => {
        Object.assign(new EventSource('${inside}/events'), { onmessage: resolve, onerror: reject })
      }))
      attempt('rtc', async () => {
        const line = new RTCPeerConnection({ iceServers: [
          { urls: 'stun:127.0.0.1:${port}' },
          { urls: 'turn:127.0.0.1:${canary.port}?transport=tcp', username: 'a', credential: 'b' } ] })
        line.createDataChannel('x')
        await line.setLocalDescription(await line.createOffer())
      })
      attempt('worker', () => new Promise((resolve, reject) => {
        const code = "fetch('${inside}/worker').then((a) => a.text()).then(postMessage, () => postMessage('no'))"
        const worker = new Worker(URL.createObjectURL(new Blob([code])))
        Object.assign(worker, { onmessage: ({ data }) => data === 'no' ? reject() : resolve(data), onerror: reject })
      }))
      attempt('service', () => navigator.serviceWorker.register('/told').then((given) => given.scope))
      navigator.sendBeacon('${inside}/beacon', 'x')
      Promise.all(attempts).then(() => fetch('/end'))
      // Only now: while a window opens, the browser calls no listeners, so that an attempt might never hear of its end.
      addEventListener('DOMContentLoaded', () => {
        open('${inside}/popup')
        document.getElementById('file').click()
        document.getElementById('form').submit()
        location.href = 'file:///etc/passwd'
        setTimeout(() => { location.href = 'data:text/html,gone' }, 50)
        setTimeout(() => { location.href = '${inside}/navigated' }, 100)
      })
    </script><script src="/until-end.js"></script>`
  // What lies inside may be scraped for itself; that makes it no other page's business.
  const { html: drawn } = await render(site, { url: `${site.origin}/`, html }, patient, [canary])
  udp.close()
  const log = /<p id="log">([^<]*)/.exec(drawn)?.[1] ?? drawn
  const told = log.split(';').filter(Boolean)
  const refused = 'events fetch file localhost post redirect rtc service socket worker'.split(' ')
  assert.deepEqual(told.toSorted(), [...refused.map((name) => `${name} failed`), 'outside=outside'].toSorted())
  assert.deepEqual([canary.connections(), canary.hits, packets.length], [0, [], 0])
  assert.deepEqual(site.hits.toSorted(), ['/end', '/inside', '/told', '/until-end.js'])
})

test('a page whose scripts never end is given up, and no browser or folder is left', async (context) => {
  const folder = await ownTemporaryFolder(context)
  await using site = await openSite((_request, response) => void response.end())
  const endless = { url: `${site.origin}/`, html: '<body><script>for (;;);</script>' }
  await assert.rejects(render(site, endless, { pageMs: 5000 }), { code: 'not-drawn' })
  const left = join(folder, 'albumen-render-left')
  await mkdir(left)
  await utimes(left, 0, 0)
  const renderer = createPageRenderer({ chromiumPath })
  const leaving = new AbortController()
  const given = renderer.render(endless, { signal: leaving.signal })
  while ((await readdir(folder)).includes('albumen-render-left')) await setImmediate()
  leaving.abort(new Error('The person left'))
  await assert.rejects(given, /The person left/)
  await renderer.close()
  assert.deepEqual(await readdir(folder), [])
})

test('a left-over folder of another process that cannot be removed does not stop rendering', async (context) => {
  const folder = await ownTemporaryFolder(context)
  const left = join(folder, 'albumen-render-left')
  await mkdir(left)
  // Deeper than a path may be long, so that not even root can name what is in it.
  const digDeep = `for (const name of Array(20).fill('d'.repeat(250))) { fs.mkdirSync(name); process.chdir(name) }`
  execFileSync(process.execPath, ['-e', digDeep], { cwd: left })
  await utimes(left, 0, 0)
  const renderer = createPageRenderer({ chromiumPath: '/bin/false' })
  await assert.rejects(renderer.render({ url: 'http://example.com/', html: '' }), { code: 'not-drawn' })
  await renderer.close()
  assert.deepEqual(await readdir(folder), ['albumen-render-left'])
})

test('without a readable temporary folder rendering fails with a clear error', async (context) => {
  const folder = await ownTemporaryFolder(context)
  process.env.TMPDIR = join(folder, 'gone')
  const renderer = createPageRenderer({ chromiumPath: '/bin/false' })
  await assert.rejects(renderer.render({ url: 'http://example.com/', html: '' }), { code: 'not-drawn' })
  await renderer.close()
})

test('requests and bytes of one page are limited', async () => {
  await using site = await openSite((_request, response) => void response.end('x'.repeat(1000)))
  const html = `<body><script>
    for (let n = 0; n < 12; n++) {
      const request = new XMLHttpRequest()
      request.open('GET', '/' + n, false)
      try { request.send() } catch {}
    }
  </script>`
  await render(site, { url: `${site.origin}/`, html }, { ...patient, requests: 5 })
  assert.equal(site.hits.length, 5)
  await render(site, { url: `${site.origin}/`, html }, { ...patient, bytes: 2500 })
  assert.equal(site.hits.length, 5 + 3, 'the third is too much')
})

test('without Chromium the error says so', async () => {
  const renderer = createPageRenderer({ chromiumPath: '/nowhere/chromium' })
  await assert.rejects(renderer.render({ url: 'http://example.com/', html: '' }), /no Chromium/)
  await renderer.close()
})
