import { createHash } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after } from 'node:test'
import { createLocalStorage } from './local-storage.ts'
import { createS3Storage } from './s3-storage.ts'
import { startS3TestServer } from './s3-test-server.ts'
import type { Storage } from './storage.ts'

/** A storage driver with the access that the common tests need. */
type Driver = {
  storage: Storage
  /** Number of temporary files at the moment. */
  temporaryFiles(): Promise<string[]>
  temporaryFolder: string
  /** Path of a key's bytes, so that a test can damage or age them. */
  fileOf(key: string): string
  close(): Promise<void>
}

async function startLocal(folder: string): Promise<Driver> {
  const temporaryFolder = join(folder, 'tmp')
  return {
    storage: await createLocalStorage({ directory: folder }),
    temporaryFolder,
    temporaryFiles: () => readdir(temporaryFolder),
    fileOf: (key) => join(folder, key),
    close: async () => {},
  }
}

async function startS3(folder: string): Promise<Driver> {
  const server = await startS3TestServer(join(folder, 'server'))
  const cacheDirectory = join(folder, 'scratch')
  const storage = await createS3Storage({ ...server.options, prefix: 'library/', cacheDirectory })
  const temporaryFolder = join(cacheDirectory, 'tmp')
  return {
    storage,
    temporaryFolder,
    temporaryFiles: () => readdir(temporaryFolder),
    fileOf: (key) => server.fileOf(`library/${key}`),
    async close() {
      await storage.close()
      await server[Symbol.asyncDispose]()
    },
  }
}

export const sha256Of = (data: Uint8Array) => createHash('sha256').update(data).digest('hex')
export const inChunks = (data: Buffer, size = 1000) =>
  Readable.from(
    Array.from({ length: Math.ceil(data.length / size) }, (_, i) => data.subarray(i * size, (i + 1) * size)),
  )
export const unlimited = { maxBytes: Number.MAX_SAFE_INTEGER }

export const drivers = [
  ['local disk', startLocal],
  ['S3', startS3],
] as const

/** Opens a driver in its own folder for one test file; both are removed after it. */
export async function openDriver(start: (folder: string) => Promise<Driver>) {
  const folder = await mkdtemp(join(tmpdir(), 'storage-'))
  const driver = await start(folder)
  const { storage } = driver
  after(async () => {
    await driver.close()
    await rm(folder, { recursive: true, force: true })
  })
  return {
    ...driver,
    async keep(data: Buffer) {
      await using arrival = await storage.receive(inChunks(data), unlimited)
      await arrival.commit()
      return arrival.sha256
    },
    read: async (sha256: string) => buffer((await storage.open(sha256)).stream),
    listed: async () => (await Array.fromAsync(storage.list())).map(({ sha256 }) => sha256),
  }
}
