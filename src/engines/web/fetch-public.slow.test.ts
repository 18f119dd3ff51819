import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { blockThread } from '#tests/support/block-thread.ts'
import { hasCode, html, refusesPage, webFor } from './fetch-public.fixture.ts'
import { createPublicWeb } from './fetch-public.ts'
import { openRawSite, openSite } from './test-site.ts'
import { defaultLimits } from './web-limits.ts'

test('a silent server is given up, and its connection is closed', async () => {
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  await using site = await openRawSite((socket) => socket.on('close', () => resolve()).resume())
  await using web = webFor(site, { pageMs: 100 })
  await assert.rejects(web.fetchPage(`${site.origin}/`), hasCode('timeout', /took too long/))
  await closed
})

test('a server that never finishes its header is given up', async () => {
  await using site = await openRawSite((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    const drip = setInterval(() => socket.write('X-More: yes\r\n'), 20)
    socket.on('close', () => clearInterval(drip))
  })
  await using web = webFor(site, { headerMs: 150 })
  await assert.rejects(web.fetchPage(`${site.origin}/`), hasCode('timeout'))
})

test('a page that drips without end is given up', async () => {
  await refusesPage(
    (_request, response) => {
      response.writeHead(200, html)
      const drip = setInterval(() => response.write(' '), 20)
      response.on('close', () => clearInterval(drip))
    },
    'timeout',
    { pageMs: 200 },
  )
})

test('a page that drips is given up long before its time is over, one that keeps coming is not', async () => {
  const drip =
    (bytes: number, times: number): RequestListener =>
    (_request, response) => {
      response.writeHead(200, html)
      let left = times
      const timer = setInterval(() => {
        response.write(' '.repeat(bytes))
        if (--left > 0) return
        clearInterval(timer)
        response.end('<p>whole')
      }, 20)
      response.on('close', () => clearInterval(timer))
    }
  const limits = { pageMs: 60_000, stallBytes: 1000 }
  await refusesPage(drip(1, 1000), 'timeout', { ...limits, stallMs: 150 }, /took too long/)
  await using site = await openSite(drip(20_000, 60))
  // One window passes in full; a busy machine may stand still for most of it.
  await using web = webFor(site, { ...limits, stallMs: 1000 })
  assert.match((await web.fetchPage(`${site.origin}/`)).html, /<p>whole$/)
})

test('a page is not given up for the time in which this process itself stood still', async () => {
  await using site = await openSite(async (_request, response) => {
    response.writeHead(200, html).write('<p>')
    for (let turns = 0; turns < 50; turns++) await turn()
    response.end('whole'.padEnd(20_000))
    blockThread(300)
  })
  await using web = webFor(site, { stallMs: 100, stallBytes: 1000 })
  assert.match((await web.fetchPage(`${site.origin}/`)).html, /<p>whole/)
})

test('the limits end a silent or slow connection within 20 seconds', () => {
  assert.ok(defaultLimits.headerMs <= 20_000 && defaultLimits.stallMs <= 20_000)
  assert.deepEqual([defaultLimits.connectMs, defaultLimits.pageMs], [10_000, 30_000])
})

test('a name that is never resolved is given up', async () => {
  for (const limits of [{ pageMs: 100 }, { connectMs: 100 }]) {
    const web = createPublicWeb({ limits, resolveName: () => new Promise(() => {}) })
    await assert.rejects(web.fetchPage('http://slow.example/'), hasCode('timeout'))
    await web.close()
  }
})
