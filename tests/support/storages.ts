import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type Around, startS3TestServer } from '#engines/storage/s3-test-server.ts'
import { isOnPostgres } from './postgres.ts'
import { s3Settings } from './s3-settings.ts'
import type { TestApp } from './test-app.ts'

type Story = (context: TestContext, settings: Record<string, string>) => Promise<void>

/** Tells the story once for every place where bytes can rest. Bytes and rows seldom meet: the bucket is shown on one database. */
export function onEveryStorage(name: string, story: Story) {
  onLocalDisk(name, story)
  if (!isOnPostgres) inBucket(name, story)
}

/** For what must agree between the files and the rows, wherever either of them is. */
export function onEveryStorageAndDatabase(name: string, story: Story) {
  onLocalDisk(name, story)
  inBucket(name, story)
}

function onLocalDisk(name: string, story: Story) {
  test(`${name} (local disk)`, (context) => story(context, {}))
}

function inBucket(name: string, story: Story) {
  test(`${name} (S3)`, (context) => withBucket(context, story))
}

/** Tells a story about a bucket alone; `around` may make one of its requests wait for another. */
export async function withBucket(
  context: TestContext,
  story: (...told: [...Parameters<Story>, Bucket]) => Promise<void>,
  around?: Around,
) {
  const directory = await mkdtemp(join(tmpdir(), 'albumen-bucket-'))
  try {
    await using server = await startS3TestServer(directory, around)
    // A test within the test: its product is stopped before the bucket goes away.
    await context.test('with a bucket', (inner) => story(inner, s3Settings(server), server))
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

type Bucket = Awaited<ReturnType<typeof startS3TestServer>>

/** What lies where bytes rest: unfinished files, and the hashes of finished ones. */
export async function storedIn({ services, directory }: Pick<TestApp, 'services' | 'directory'>) {
  const blobs: string[] = []
  for await (const { sha256 } of services.storage.list()) blobs.push(sha256)
  const folder = join(directory, services.config.s3 ? 'cache/tmp' : 'tmp')
  return { temporary: await readdir(folder), blobs: blobs.sort() }
}
