import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, open, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { openSqlite } from '#platform/server/db/sqlite.ts'
import { multipart } from '#tests/support/multipart.ts'
import { makePng } from '#tests/support/pictures.ts'
import { isOnPostgres, onOneDatabase } from '#tests/support/postgres.ts'
import { treeOf } from '#tests/support/process-usage.ts'
import { serverSettings, startServer, untilReady } from '#tests/support/server-process.ts'
import { until } from '#tests/support/until.ts'

const ann = { username: 'Ann', email: 'ann@example.com', password: 'correct horse' }

/** Registers and returns the session's cookie. */
async function registerAt(url: string) {
  const answer = await fetch(`${url}/api/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ann),
  })
  assert.equal(answer.status, 201)
  return answer.headers.get('set-cookie')!.split(';')[0]!
}

test('the first start says where to go and what to do, the next one only where to go', async (context) => {
  const settings = await serverSettings(context, { isEmpty: true })
  const first = startServer(context, settings)
  const { greeting, url } = await untilReady(first)
  assert.match(
    greeting,
    /^Albumen is running\. Open http:\/\/localhost:\d+ and register\. The first account becomes the administrator\.$/,
  )
  await registerAt(url)
  const second = startServer(context, { ...settings, PUBLIC_URL: 'https://photos.example' })
  const secondIsReady = untilReady(second)
  if (!isOnPostgres) {
    const [line] = await once(second.child.stdout!, 'data')
    assert.match(
      String(line),
      /DATA_DIR is in use by another Albumen process; waiting for it to exit/,
      'SQLite allows only one',
    )
  }
  first.child.kill('SIGTERM')
  assert.equal((await first.ended).code, 0)
  assert.equal((await secondIsReady).greeting, 'Albumen is running. Open https://photos.example')
  second.child.kill('SIGINT')
  assert.equal((await second.ended).code, 0)
})

test('SIGTERM lets an open request finish, ends the event streams, takes no new ones, and exits with 0', async (context) => {
  const server = startServer(context, await serverSettings(context))
  const { url } = await untilReady(server)
  const cookie = await registerAt(url)
  const begun = once(server.child, 'message')
  const slow = fetch(`${url}/api/slow`)
  const events = await fetch(`${url}/api/events`, { headers: { cookie } })
  await begun
  server.child.kill('SIGTERM')
  assert.match(await text(events.body!), /^: connected\nid: .+\n\n$/, 'the stream ends, in order')
  await assert.rejects(fetch(`${url}/api/health`), 'no new connection is accepted')
  server.child.send('finish')
  assert.deepEqual(await (await slow).json(), { isDone: true })
  // The process ends itself with 1 after 15 seconds, so 0 also says that it took no longer.
  const { code, stderr } = await server.ended
  assert.equal(code, 0)
  assert.equal(stderr, '')
})

onOneDatabase('a picture is delivered although all processes get SIGTERM while it is made', async (context) => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const server = startServer(context, await serverSettings(context))
    const { url } = await untilReady(server)
    const cookie = await registerAt(url)
    const { payload, headers } = multipart([{ name: 'large.png', bytes: await makePng({ width: 2600, height: 1700 }) }])
    const uploaded = await fetch(`${url}/api/upload`, {
      method: 'POST',
      headers: { ...headers, cookie },
      body: payload,
    })
    const { media } = (await uploaded.json()) as { media: { originalUrl: string }[] }
    const cpuMsOfChildren = () =>
      treeOf(server.child.pid!)
        .filter(({ pid }) => pid !== server.child.pid)
        .reduce((sum, { cpuMs }) => sum + cpuMs, 0)
    const before = cpuMsOfChildren()
    const picture = fetch(new URL(`${media[0]!.originalUrl}?w=2560&format=webp`, url), { headers: { cookie } })
    await until('the picture is being made', async () => cpuMsOfChildren() > before + 50)
    for (const { pid } of treeOf(server.child.pid!)) process.kill(pid, signal)
    const { status } = await picture
    assert.equal(status, 200)
    const { code, stderr } = await server.ended
    assert.deepEqual([code, stderr], [0, ''])
  }
})

onOneDatabase('a second signal ends the process at once', async (context) => {
  const server = startServer(context, await serverSettings(context))
  const { url } = await untilReady(server)
  const begun = once(server.child, 'message')
  const slow = assert.rejects(fetch(`${url}/api/slow`))
  await begun
  server.child.kill('SIGTERM')
  // A refused connection shows that the first signal was handled.
  while (
    await fetch(`${url}/api/health`).then(
      () => true,
      () => false,
    )
  );
  server.child.kill('SIGTERM')
  assert.equal((await server.ended).code, 1)
  await slow
})

onOneDatabase('a log whose disk is full stops neither the server nor its end', async (context) => {
  const PORT = await freePort()
  const full = await open('/dev/full', 'w')
  context.after(() => full.close())
  const settings = { ...(await serverSettings(context)), LOG_LEVEL: 'info', PORT }
  const server = startServer(context, settings, [], full.fd)
  const failed = server.ended.then(({ stderr }) => assert.fail(`Expected the server to run, received: ${stderr}`))
  const url = `http://127.0.0.1:${PORT}`
  const isUp = () =>
    fetch(`${url}/api/health`).then(
      ({ ok }) => ok,
      () => false,
    )
  await Promise.race([until('the server answers', isUp), failed])
  // Each answer is a line of the log.
  await Promise.race([registerAt(url), failed])
  server.child.kill('SIGTERM')
  const { code, stderr } = await server.ended
  assert.deepEqual([code, stderr], [0, ''])
})

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return String(port)
}

onOneDatabase(
  'a wrong setting stops the start with one line that names it, also when it is an argument',
  async (context) => {
    const settings = { ...(await serverSettings(context)), ROLE: 'both' }
    const { code, stdout, stderr } = await startServer(context, settings, ['--role=painter']).ended
    assert.equal(code, 1)
    assert.equal(stdout, '')
    assert.equal(stderr, 'Albumen could not start: ROLE must be both, web or worker (received "painter")\n')
  },
)

onOneDatabase(
  'a misspelt name in .env is told with the one that was meant, other programs’ names are not',
  async (context) => {
    const settings = await serverSettings(context)
    const others = [
      'POSTGRES_PASSWORD',
      'STORE_ACCESS_KEY',
      'STORE_SECRET_KEY',
      'COMPOSE_PROFILES',
      'NODE_OPTIONS',
      'TZ',
    ]
    const misspelt = {
      AI_TIMEOUT_SECOND: 'AI_TIMEOUT_SECONDS',
      PROT: 'PORT',
      PUBLC_URL: 'PUBLIC_URL',
      log_level: 'LOG_LEVEL',
    }
    const names = [...others, 'IMAGEKIT_PUBLIC_KEY', 'DATABASE_USER', 'QUOTA_GB', ...Object.keys(misspelt)]
    await writeFile(join(settings.DATA_DIR!, '.env'), names.map((name) => `${name}=\n`).join(''))
    const server = startServer(context, settings)
    await untilReady(server)
    server.child.kill('SIGTERM')
    const { stdout } = await server.ended
    const told = stdout.split('\n').filter((line) => line.includes('.env'))
    assert.deepEqual(
      told.map((line) => JSON.parse(line).msg),
      Object.entries(misspelt).map(
        ([name, meant]) => `${name} in .env is not a setting of Albumen; did you mean ${meant}?`,
      ),
    )
  },
)

onOneDatabase('a DATA_DIR that is too long, or has a folder for its mark, is told in one line', async (context) => {
  const settings = await serverSettings(context)
  const start = async (DATA_DIR: string) => {
    const { code, stdout, stderr } = await startServer(context, { ...settings, DATA_DIR }).ended
    assert.deepEqual([code, stdout], [1, ''])
    return stderr
  }
  const long = join(settings.DATA_DIR!, ...Array(8).fill('d'.repeat(200)))
  await mkdir(long, { recursive: true })
  const limit = `at most 490 bytes long on SQLite, which opens no longer paths (received ${long.length})`
  assert.equal(await start(long), `Albumen could not start: DATA_DIR must be ${limit}\n`)
  const mark = join(settings.DATA_DIR!, 'library-id')
  await mkdir(mark)
  assert.equal(
    await start(settings.DATA_DIR!),
    `Albumen could not start: DATA_DIR must not hold a folder library-id, but a file of that name, or none yet (${mark})\n`,
  )
})

onOneDatabase(
  'a database that a newer program wrote stops the start with one line, and stays as it is',
  async (context) => {
    const settings = await serverSettings(context)
    const open = () => openSqlite(join(settings.DATA_DIR!, 'albumen.db'))
    const database = open()
    await database.migrations.underLock(async ({ exec }) => exec('UPDATE schema_version SET version = 9999'))
    await database.close()
    const { code, stderr } = await startServer(context, settings).ended
    assert.equal(code, 1)
    assert.match(
      stderr,
      /^Albumen could not start: The database is at version 9999, but this version of Albumen supports only \d+\. [^\n]+\n$/,
    )
    const again = open()
    await again.migrations.underLock(async ({ version }) => assert.equal(version, 9999))
    await again.close()
  },
)
