import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startS3TestServer } from '#engines/storage/s3-test-server.ts'
import { startPostgres } from '../support/embedded-postgres.ts'
import { s3Settings } from '../support/s3-settings.ts'
import { counted, type Fault } from './fault.ts'
import { addUp } from './lanes.ts'
import { walk } from './random-walk/walk.ts'

const processesTogether = 3

/**
 * Simulated users perform random actions of all kinds from a seed, and a model predicts what each of them sees in spite of
 * crashes. Every other walk uses PostgreSQL, S3 and three processes.
 */
export const randomWalk: Fault = async ({ eachRound }) => {
  const walks = []
  for (const round of eachRound(4)) {
    await using place = round % 2 === 0 ? alone : await openTogether()
    const { acts, checks, kills, restores } = await walk(round + 1, place).catch((error) => {
      throw new Error(`Walk ${round + 1} went astray`, { cause: error })
    })
    walks.push({ walks: 1, acts, checks, kills, restores })
  }
  const { acts, checks, kills, restores } = addUp(walks)
  return [
    counted('random actions of several users at once: all responses match the model', {
      figure: `${walks.length} walks, ${acts} acts, ${checks} checks after ${kills} kills and ${restores} replaced libraries: 0 differences`,
      toReach: '0 differences in 4 walks',
      isReached: walks.length > 0,
    }),
  ]
}

const alone = { processes: 1, [Symbol.asyncDispose]: async () => {} }

/** PostgreSQL, a bucket and a folder for backups, which the processes share. */
async function openTogether() {
  const stack = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), 'albumen-walk-'))
  stack.defer(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }))
  const [bucket, backups] = [join(directory, 'bucket'), join(directory, 'backups')]
  for (const folder of [bucket, backups]) await mkdir(folder)
  const postgres = await startPostgres()
  stack.defer(postgres.stop)
  const store = stack.use(await startS3TestServer(bucket))
  const settings = { DATABASE_URL: postgres.url, BACKUP_DIR: backups, ...s3Settings(store) }
  return { settings, processes: processesTogether, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}
