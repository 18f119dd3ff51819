import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type RequestHook, startS3TestServer } from '#engines/storage/s3-test-server.ts'
import { isOnPostgres } from './postgres.ts'
import { s3Settings } from './s3-settings.ts'
import type { TestApp } from './test-app.ts'

type Story = (context: TestContext, settings: Record<string, string>) => Promise<void>

/** Runs the test on local disk and on S3. Files rarely depend on the database, so S3 is tested on SQLite only. */
export function onEveryStorage(name: string, story: Story) {
  onLocalDisk(name, story)
  if (!isOnPostgres) inBucket(name, story)
}

/** For tests about files and rows that must agree: both storages on both databases. */
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

/** Runs a test with a bucket; `hook` may delay requests to it. */
export async function withBucket(
  context: TestContext,
  story: (...told: [...Parameters<Story>, Bucket]) => Promise<void>,
  hook?: RequestHook,
) {
  const directory = await mkdtemp(join(tmpdir(), 'albumen-bucket-'))
  try {
    await using server = await startS3TestServer(directory, hook)
    // A nested test, so that its product stops before the bucket is removed.
    await context.test('with a bucket', (inner) => story(inner, s3Settings(server), server))
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

type Bucket = Awaited<ReturnType<typeof startS3TestServer>>

/** The names of temporary files, and the hashes of stored files. */
export async function storedIn({ services, directory }: Pick<TestApp, 'services' | 'directory'>) {
  const blobs: string[] = []
  for await (const { sha256 } of services.storage.list()) blobs.push(sha256)
  const folder = join(directory, services.config.s3 ? 'cache/tmp' : 'tmp')
  return { temporary: await readdir(folder), blobs: blobs.sort() }
}
