import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { exampleRequest, isId, listIdPaths, type Target } from '#tests/support/example-request.ts'
import { fakeWeb } from '#tests/support/fake-web.ts'
import { addOwnedRecords, createRowReader, missingRecords, type OwnedRecords } from '#tests/support/owned-records.ts'
import { makeJpeg } from '#tests/support/pictures.ts'
import { type RegisteredRoute, withRegisteredRoutes } from '#tests/support/registered-routes.ts'
import { type TestApp, testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'

test('a route outside every scope stops the start with an error that names it', async (context) => {
  const start = testApp(
    context,
    {},
    {
      prepare: (app) => {
        app.get('/api/forgotten', async () => 'open to everybody')
      },
    },
  )
  await assert.rejects(start, /Routes outside every scope: .*GET \/api\/forgotten/)
})

type People = Record<'visitor' | 'admin' | 'member' | 'owner', TestUser>

test('every route enforces its scope, and no user reaches another user’s items', async (context) => {
  // An AI that fails at once: without one, some calls end before they check the owner of the items.
  const ai = { AI_BASE_URL: (await fakeWeb(context)).origin, AI_MODEL: 'none' }
  const { product, routes } = await withRegisteredRoutes(() => testApp(context, ai), answerBehindGuards)
  const [admin, member, owner] = [await product.register(), await product.register(), await product.register()]
  const people = { visitor: product.visitor(), admin, member, owner }
  const cells = (await assertAccess(routes, people)) + (await assertOwnership(product, routes, people))
  context.diagnostic(`${cells} answers to ${routes.length} routes`)

  await product.services.db.updateTable('users').set({ is_admin: 0 }).where('id', '=', admin.id).execute()
  const refusal = await admin.get('/api/admin/stats')
  assert.equal(refusal.statusCode, 403, 'the flag is read from the account each time')
  assert.equal(refusal.json().message, 'Only administrators can do this.')
})

/** A word that only these tests send: what comes behind the guards is left out, or "reset everything" could not be asked. */
const guardsOnly = 'x-guards-only'

function answerBehindGuards(server: FastifyInstance) {
  server.addHook('preParsing', async ({ headers }, reply) => {
    if (headers[guardsOnly]) return reply.code(299).send()
  })
}

const lettingIn = { open: [299, 299, 299], 'signed-in': [401, 299, 299], admin: [401, 403, 299] }

async function assertAccess(routes: RegisteredRoute[], { visitor, member, admin }: People) {
  for (const { name, method, url, access } of routes) {
    // The body is invalid, so a response other than 400 shows that the guard runs before the body is parsed.
    const broken = { payload: '{', headers: { [guardsOnly]: '1', 'content-type': 'application/json' } }
    const statuses = [visitor, member, admin].map(async (user) => {
      const answer = await user.send({ method: method as 'GET', url, ...broken })
      return answer.statusCode
    })
    assert.deepEqual(await Promise.all(statuses), lettingIn[access], name)
    assert.equal(access === 'admin', /^\/api\/(admin|database)\b/.test(url), `${name} is in the scope "${access}"`)
  }
  const open = routes.filter(({ access, url }) => access === 'open' && /^\/(api|files|i)\/(?!public\/)/.test(url))
  assert.deepEqual([...new Set(open.map(({ url }) => url))].sort(), openToAll)
  return 3 * routes.length
}

/** Every route in the open scope must be listed here, except those below `/public`, which belong to sharing. */
const openToAll = [
  '/api/docs',
  '/api/health',
  '/api/login',
  '/api/logout',
  '/api/openapi.json',
  '/api/register',
  '/api/registration',
  '/files/:id/:version/:name',
  '/i/:name',
]

/** Another user's id gets the response of a missing one and changes nothing; the owner's id gets another response. */
async function assertOwnership(product: TestApp, routes: RegisteredRoute[], { visitor, admin, member, owner }: People) {
  const { db } = product.services
  const { paths } = (await product.app.inject({ url: '/api/openapi.json' })).json()
  const calls = routes
    // The handler of GET also answers HEAD.
    .filter(({ access, method }) => access !== 'admin' && method !== 'HEAD')
    .map((call) => ({ ...call, operation: paths[call.url.replace(/:(\w+)/g, '{$1}')]?.[call.method.toLowerCase()] }))
  const places = calls
    .flatMap((call) => listIdPaths(call).map((place) => ({ call, place })))
    .filter(({ call, place }) => !isNewName(call.url, place))
  const file = await makeJpeg()
  const give = async (user: TestUser, count: number) => {
    const { id } = await user.addPicture('a.jpg', file)
    await product.settled()
    return addOwnedRecords(db, { id, owner_id: user.id }, count)
  }
  const readLists = () => Promise.all([admin, member].map((user) => answersWithoutIds(calls, user)))

  const [adminsOwn] = await give(admin, 1)
  const lists = await readLists()
  const [theirs] = await give(owner, 1)
  assert.deepEqual(await readLists(), lists, 'what another person adds shows in no list')
  const membersOwn = await give(member, places.length)
  const readTheirs = await createRowReader(db, owner.id, theirs!)
  const untouched = await readTheirs()
  for (const { call, place } of places) {
    const hint = `${call.name}, ${place}`
    const own = membersOwn.pop()!
    const ask = createAsker(call, place, file)
    const missing = await ask(member, own, missingRecords)
    assert.equal(missing.statusCode, otherwise[hint] ?? 404, `${hint}: ${JSON.stringify(missing.body)}`)
    assert.deepEqual(await ask(member, own, theirs!), missing, hint)
    const adminMisses = await ask(admin, adminsOwn!, missingRecords)
    assert.deepEqual(await ask(admin, adminsOwn!, theirs!), adminMisses, `${hint}, as administrator`)
    if (call.access === 'open') assert.deepEqual(await ask(visitor, own, theirs!), missing, `${hint}, as visitor`)
    await product.settled()
    assert.deepEqual(await readTheirs(), untouched, `${hint} changed what is not the asker's`)
    assert.notDeepEqual(await ask(member, own, own), missing, `${hint}: the owner gets the same response`)
  }
  return 3 * places.length
}

/** The responses of all calls without an id, such as lists, counts and running work. */
async function answersWithoutIds(calls: (RegisteredRoute & Target)[], user: TestUser) {
  const asked = calls.filter(({ method, url, access, operation }) => {
    const isEndless = JSON.stringify(operation ?? '').includes('text/event-stream')
    return access === 'signed-in' && method === 'GET' && !url.includes(':') && !isEndless
  })
  return Promise.all(asked.map(async ({ url }) => ({ url, body: (await user.get(url)).body })))
}

/** A client chooses the id of a new run; an id that any user has taken is refused. */
const isNewName = (url: string, path: string) => /^\/api\/(media\/|collections|websites)/.test(url) && path === 'runId'

const otherwise: Record<string, number> = {
  // The id must be one of the items in the same request.
  'POST /api/media/duplicates/dismissals, differentId': 400,
  // Nothing to look at, and nothing to pay.
  'POST /api/media/bulk-ai-tag/estimate, mediaIds': 200,
  'POST /api/media/bulk-alt-text/estimate, mediaIds': 200,
  // Items no longer in the collection are ignored.
  'POST /api/collections/:id/ai-rename, names.id': 200,
}

const nouns: [RegExp, keyof OwnedRecords][] = [
  [/dismissalId$/, 'dismissal'],
  [/versionId$/, 'version'],
  [/collectionId$/, 'collection'],
  [/(websiteId|\/websites\/:id)$/, 'website'],
  [/(mediaIds?|keptId|coverMediaId|differentId|beforeId|similarToId|(names|rows)\.id)$/, 'media'],
  [/\/ai-(runs|reviews)\/:runId$/, 'aiRun'],
  [/\/bulk-runs\/:runId$/, 'bulkRun'],
  [/\/scrape-runs\/(:id|events\?runId|retry runId)$/, 'scrapeRun'],
  [/\/audits\/:id$/, 'audit'],
  [/\/media\/download\/:id$/, 'download'],
  [/\/history\/:id$/, 'change'],
  [/\/collections\/:id$/, 'collection'],
  [/\/(media|files|items)\/:id$/, 'media'],
]

function nounOf(url: string, path: string) {
  const separator = path.startsWith('?') ? '' : ' '
  const whole = path.startsWith(':') ? url.slice(0, url.indexOf(path) + path.length) : url + separator + path
  const noun = nouns.find(([pattern]) => pattern.test(whole))?.[1]
  assert.ok(
    noun,
    `Expected to know what "${whole}" is the id of; please name it here, and in belongings.ts what is new`,
  )
  return noun
}

/** Sends a call with `given` at one place and what the asker owns at all others. */
function createAsker(target: Target, place: string, file: Uint8Array) {
  const needed = new Set<string>()
  const isWanted = (path: string) => needed.has(path.replace('?', '')) || place.startsWith(path)
  return async function ask(user: TestUser, own: OwnedRecords, given: OwnedRecords) {
    const idsAt = (path: string) => [(path === place ? given : own)[nounOf(target.url, path)]].flat()
    const answer = await user.send(exampleRequest(target, { idsAt, isWanted, file }))
    assert.notEqual(answer.statusCode, 500, `${target.method} ${target.url}, ${place}: ${answer.body}`)
    const body = readable(answer, idsAt(place))
    // What cannot be left out is known by what the answer finds missing.
    if (answer.statusCode !== 400 || !body.field || body.field === place || needed.has(body.field))
      return { statusCode: answer.statusCode, body }
    needed.add(body.field)
    return ask(user, own, given)
  }
}

/** As it came, but for the ids that were asked for: they differ. */
function readable({ headers, body }: { headers: object; body: string }, ids: unknown[]) {
  if (!/json/.test(String((headers as Record<string, unknown>)['content-type']))) return body
  return JSON.parse(JSON.stringify(JSON.parse(body), (key, value) => (isId(key) && ids.includes(value) ? 'id' : value)))
}
