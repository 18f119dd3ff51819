import assert from 'node:assert/strict'
import { connect, type LookupFunction } from 'node:net'
import { test } from 'node:test'
import type { buildConnector } from 'undici'
import { AppError } from '#platform/errors.ts'
import { watchConnections } from '#tests/support/connection-attempts.ts'
import { forbiddenHosts, localNames } from '#tests/support/forbidden-hosts.ts'
import { createPublicWeb, type PublicWeb, type PublicWebOptions } from './fetch-public.ts'
import { openSite, type TestSite } from './test-site.ts'

const publicAddress = { address: '93.184.215.14', family: 4 }
const loopback = { address: '127.0.0.1', family: 4 }

/** Something inside the network that must never hear from us. */
const openCanary = () => openSite((_request, response) => response.end('secret'))

/** The canary's port is open to all, so that nothing but the address check stands before it. */
function webBefore(canary: TestSite, options: PublicWebOptions = {}) {
  const web = createPublicWeb({ ports: [80, 443, canary.port], ...options })
  return Object.assign(web, { [Symbol.asyncDispose]: () => web.close() })
}

async function refusalOf(attempt: Promise<unknown>): Promise<AppError> {
  const error = await attempt.then(
    () => assert.fail('the attempt succeeded'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof AppError, String(error))
  return error
}

/** Asks in every way there is; each must be refused as if nothing were there. */
async function assertOutOfReach(web: PublicWeb, address: string, hint = address) {
  const attempts = [
    web.fetchPage(address),
    web.fetchFile(address, { destination: '/nonexistent/never-written' }),
    web.peek(address, { bytes: 10 }),
    web.fetchPart(address, { maxBytes: 10 }),
  ]
  for (const { code } of await Promise.all(attempts.map(refusalOf))) assert.equal(code, 'unreachable', hint)
}

test('no spelling of a private address receives a request', async (context) => {
  await using canary = await openCanary()
  const attempts = watchConnections(context)
  await using web = webBefore(canary)
  for (const host of [...forbiddenHosts, ...localNames]) {
    await assertOutOfReach(web, `http://${host}:${canary.port}/`, host)
  }
  assert.deepEqual(attempts, [])
})

test('a host name that resolves to a private address is refused, even if one of its addresses is public', async (context) => {
  await using canary = await openCanary()
  const attempts = watchConnections(context)
  const inside = [
    '127.0.0.1',
    '10.0.0.1',
    '169.254.169.254',
    '168.63.129.16',
    '::1',
    '::ffff:127.0.0.1',
    '::7f00:1',
    '2002:7f00:1::',
    '64:ff9b::7f00:1',
  ]
  for (const address of inside) {
    const answers = [publicAddress, { address, family: address.includes(':') ? 6 : 4 }]
    await using web = webBefore(canary, { resolveName: async () => answers })
    await assertOutOfReach(web, `http://photos.example:${canary.port}/`, address)
  }
  assert.deepEqual(attempts, [])
})

/** Asks for the name twice, as a client would that checks first and connects later. */
function connectOnSecondAnswer(options?: buildConnector.BuildOptions): buildConnector.connector {
  const { lookup } = options as { lookup: LookupFunction }
  return ({ hostname, port }, callback) => {
    lookup(hostname, {}, (error) => {
      if (error) return callback(error, null)
      lookup(hostname, {}, (secondError, address) => {
        if (secondError) return callback(secondError, null)
        const socket = connect(Number(port), String(address), () => callback(null, socket))
      })
    })
  }
}

test('a host name that changes its address between two lookups is refused', async (context) => {
  await using canary = await openCanary()
  const attempts = watchConnections(context)
  let asked = 0
  const resolveName = async () => [asked++ % 2 === 0 ? publicAddress : loopback]
  await using web = webBefore(canary, { resolveName, makeConnector: connectOnSecondAnswer })
  for (let round = 0; round < 20; round++) {
    assert.equal((await refusalOf(web.fetchPage(`http://rebind.example:${canary.port}/`))).code, 'unreachable')
  }
  assert.equal(asked, 40)
  assert.deepEqual(attempts, [])
})

test('a socket that was connected to a private address is closed before a request is sent', async () => {
  await using canary = await openCanary()
  const connectInside = (): buildConnector.connector => (_target, callback) => {
    const socket = connect(canary.port, '127.0.0.1', () => callback(null, socket))
  }
  await using web = webBefore(canary, { resolveName: async () => [publicAddress], makeConnector: connectInside })
  await assertOutOfReach(web, `http://photos.example:${canary.port}/`)
  assert.deepEqual(canary.hits, [])
})

test('a redirect to a private address is not followed', async (context) => {
  await using canary = await openCanary()
  const attempts = watchConnections(context)
  const targets = [
    `http://127.0.0.1:${canary.port}/`,
    `http://localhost:${canary.port}/`,
    `//0x7f.1:${canary.port}/`,
    `http://[::ffff:127.0.0.1]:${canary.port}/`,
    `http://user@127.0.0.1:${canary.port}/`,
    'http://169.254.169.254/latest/meta-data/',
    'http://10.0.0.1:22/',
    'file:///etc/passwd',
    'data:text/html,hello',
  ]
  await using site = await openSite(({ url }, response) => {
    response.writeHead(302, { location: targets[Number(url?.slice(1))] }).end()
  })
  await using web = webBefore(canary, { allowHosts: [site.pair] })
  for (const index of targets.keys()) {
    await assertOutOfReach(web, `${site.origin}/${index}`, targets[index])
  }
  assert.deepEqual(new Set(attempts), new Set([site.pair]))
})

/** The same server by another name: another host, which the setting allows too. */
const elsewhere = (site: TestSite) => ({
  origin: site.origin.replace('127.0.0.1', 'localhost'),
  pair: site.pair.replace('127.0.0.1', 'localhost'),
})

test('a redirect from another host does not reach an inner host that the settings allow', async () => {
  await using inner = await openSite((_request, response) => response.end('secret'))
  await using site = await openSite((_request, response) => {
    response.writeHead(302, { location: `${inner.origin}/secret` }).end()
  })
  const { origin, pair } = elsewhere(site)
  await using web = webBefore(inner, { allowHosts: [inner.pair, pair] })
  await assertOutOfReach(web, `${origin}/`)
  assert.deepEqual(inner.hits, [])
  const typed = await web.fetchPart(`${inner.origin}/typed`, { maxBytes: 10 })
  assert.equal(typed.bytes.toString(), 'secret')
  // The open connection of the typed address is not used for others either.
  await assertOutOfReach(web, `${origin}/`)
  assert.deepEqual(inner.hits, ['/typed'])
})

test('a page of another host cannot name an inner host, and a page of the same host can', async () => {
  await using inner = await openSite((_request, response) => response.end('photo'))
  await using web = webBefore(inner, { allowHosts: [inner.pair] })
  const address = `${inner.origin}/photo.jpg`
  for (const foundOn of ['https://photos.example/', elsewhere(inner).origin]) {
    for (const attempt of [
      web.peek(address, { bytes: 10, foundOn }),
      web.fetchPart(address, { maxBytes: 10, foundOn }),
      web.fetchFile(address, { destination: '/nonexistent/never-written', foundOn }),
    ]) {
      assert.equal((await refusalOf(attempt)).code, 'unreachable')
    }
    assert.equal(web.mayRequest(address, foundOn), false)
  }
  assert.deepEqual(inner.hits, [])
  const foundOn = `${inner.origin}/album`
  assert.equal(web.mayRequest(address, foundOn), true)
  assert.equal((await web.fetchPart(address, { maxBytes: 10, foundOn })).bytes.toString(), 'photo')
})

test('a redirect from one inner host to another is not followed', async () => {
  await using other = await openSite((_request, response) => response.end('secret'))
  await using inner = await openSite((_request, response) => {
    response.writeHead(302, { location: `${elsewhere(other).origin}/` }).end()
  })
  await using web = webBefore(inner, { allowHosts: [inner.pair, elsewhere(other).pair] })
  await assertOutOfReach(web, `${inner.origin}/`)
  assert.deepEqual(other.hits, [])
})

test('a blocked address, an unknown name and a closed port give the user the same error', async () => {
  await using canary = await openCanary()
  const closed = await openCanary()
  await closed[Symbol.asyncDispose]()
  const resolveName = async (name: string) => {
    if (name === 'inside.example') return [loopback]
    throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' })
  }
  await using web = webBefore(canary, { resolveName, allowHosts: [closed.pair] })
  const addresses = ['http://127.0.0.1/', 'http://inside.example/', 'http://unknown.example/', `${closed.origin}/`]
  const refusals = await Promise.all(addresses.map((address) => refusalOf(web.fetchPage(address))))
  const seen = refusals.map(({ code, status, message, details }) => JSON.stringify({ code, status, message, details }))
  assert.equal(new Set(seen).size, 1, seen.join('\n'))
  assert.doesNotMatch(seen[0]!, /127|inside|ENOTFOUND|ECONNREFUSED|private/)
  assert.match(String(refusals[1]!.cause), /not a public address/)
})
