import { EventEmitter, once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { AppError, notFound } from '#platform/errors.ts'
import { createBlobCache } from './blob-cache.ts'
import { blobKey } from './keys.ts'
import { hashLocal, hashStream } from './local-files.ts'
import type { ByteRange, FileFacts, OpenedFile, Storage } from './storage.ts'
import { createTemporaryFiles } from './temporary-files.ts'

/** The driver of a remote service that stores blobs under paths of its own. */
export type RemoteFiles = { find(sha256: string): Promise<RemoteFile | null> }
type RemoteFile = FileFacts & { open(range?: ByteRange): Promise<OpenedFile> }

export type StorageWithRemoteFiles = Storage & {
  /** The local disk or the bucket, without the remote service. */
  primary: Storage
  /** Reads from the remote service, even when the primary storage has the blob too. */
  openRemote(sha256: string): Promise<OpenedFile>
  /** Removes the blob from the primary storage unless this process is reading it; false when nothing was removed. */
  removePrimary(sha256: string): Promise<boolean>
  /** Resolves when this process no longer reads the blob. */
  waitUntilUnread(sha256: string): Promise<void>
}

type Options = {
  remote: RemoteFiles
  /** Local cache of remote blobs, for decoders, which need a path. */
  cacheDirectory: string
}

/**
 * [Note: Primary and remote bytes]
 * New bytes always go to the primary storage. A blob may also be stored remotely, or only there: readers get it from the
 * primary storage first, else from the remote service. The feature that owns the service moves blobs in and out.
 */
export async function withRemoteFiles(primary: Storage, options: Options): Promise<StorageWithRemoteFiles> {
  const { remote } = options
  const scratch = resolve(options.cacheDirectory)
  const [temporaryFolder, copiesFolder] = [join(scratch, 'tmp'), join(scratch, 'copies')]
  for (const folder of [temporaryFolder, copiesFolder]) await mkdir(folder, { recursive: true, mode: 0o700 })
  const temporary = createTemporaryFiles(temporaryFolder)
  const cache = createBlobCache({ folder: copiesFolder, maxBytes: 2 * 1024 ** 3, temporary, download })
  const readers = new Map<string, number>()
  const finished = new EventEmitter().setMaxListeners(0)

  async function findRemote(sha256: string) {
    blobKey(sha256) // throws for anything but a sha256 before the service is asked
    const file = await remote.find(sha256)
    if (!file) throw notFound('File')
    return file
  }

  async function download(sha256: string, path: string) {
    const { stream } = await (await findRemote(sha256)).open()
    await pipeline(stream, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
    if ((await hashLocal(path)).sha256 === sha256) return
    throw new AppError('damaged-file', 500, 'The fetched file differs from the uploaded one.')
  }

  async function whileRead<T>(sha256: string, use: () => Promise<T>) {
    readers.set(sha256, (readers.get(sha256) ?? 0) + 1)
    try {
      return await use()
    } finally {
      const left = readers.get(sha256)! - 1
      if (left > 0) readers.set(sha256, left)
      else {
        readers.delete(sha256)
        finished.emit(sha256)
      }
    }
  }

  return {
    ...primary,
    primary,
    open: (sha256, range) =>
      primary.open(sha256, range).catch(async (error) => {
        if (!isNotFound(error)) throw error
        return (await findRemote(sha256)).open(range)
      }),
    stat: async (sha256) => (await primary.stat(sha256)) ?? remote.find(sha256),
    withLocalFile: (sha256, use) =>
      whileRead(sha256, async () => {
        let hasStarted = false
        try {
          return await primary.withLocalFile(sha256, (path) => {
            hasStarted = true
            return use(path)
          })
        } catch (error) {
          if (hasStarted || !isNotFound(error)) throw error
        }
        return cache.withFile(sha256, use)
      }),
    async remove(sha256, limits) {
      await cache.evict(sha256)
      // The feature removes remote files itself, once no row refers to the blob.
      return (
        (await primary.remove(sha256, limits)) ||
        (!(await primary.stat(sha256)) && (await remote.find(sha256)) !== null)
      )
    },
    async verify(sha256, signal) {
      if (await primary.stat(sha256)) return primary.verify(sha256, signal)
      const file = await remote.find(sha256)
      if (!file) return false
      try {
        return (await hashStream((await file.open()).stream, signal)).sha256 === sha256
      } catch (error) {
        if (isNotFound(error)) return false
        throw error
      }
    },
    openRemote: async (sha256) => (await findRemote(sha256)).open(),
    async removePrimary(sha256) {
      if (readers.has(sha256)) return false
      return primary.remove(sha256)
    },
    async waitUntilUnread(sha256) {
      while (readers.has(sha256)) await once(finished, sha256)
    },
    sweep: async (limits) => (await primary.sweep(limits)) + (await temporary.sweep(limits)),
  }
}

const isNotFound = (error: unknown) => error instanceof AppError && error.code === 'not-found'
