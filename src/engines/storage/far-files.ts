import { EventEmitter, once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { AppError, notFound } from '#platform/errors.ts'
import { blobKey } from './keys.ts'
import { createLocalCopies } from './local-copies.ts'
import { hashLocal, hashStream } from './local-files.ts'
import type { ByteRange, FileFacts, OpenedFile, Storage } from './storage.ts'
import { createTemporaryFiles } from './temporary-files.ts'

/** Bytes of blobs that rest elsewhere, with a service that keeps them under names of its own. */
export type FarFiles = { find(sha256: string): Promise<FarFile | null> }
type FarFile = FileFacts & { open(range?: ByteRange): Promise<OpenedFile> }

export type StorageWithFarFiles = Storage & {
  /** What rests here, and only that. */
  near: Storage
  /** What rests far away, also when it is here too. */
  openFar(sha256: string): Promise<OpenedFile>
  /** Removes what rests here, when it is there and nobody in this process is reading it. */
  removeNear(sha256: string): Promise<boolean>
  /** When nobody in this process is reading it. */
  unread(sha256: string): Promise<void>
}

type Options = {
  far: FarFiles
  /** Local scratch: copies of far blobs for decoders. */
  cacheDirectory: string
}

/**
 * [Note: Near and far bytes]
 * New bytes are always kept near. A blob may also rest far away, or only there; whoever reads gets it from near when it is
 * there, and from far otherwise, without noticing. What is far is brought there and taken away by the feature that knows
 * the service, not by the storage.
 */
export async function withFarFiles(near: Storage, options: Options): Promise<StorageWithFarFiles> {
  const { far } = options
  const scratch = resolve(options.cacheDirectory)
  const [temporaryFolder, copiesFolder] = [join(scratch, 'tmp'), join(scratch, 'copies')]
  for (const folder of [temporaryFolder, copiesFolder]) await mkdir(folder, { recursive: true, mode: 0o700 })
  const temporary = createTemporaryFiles(temporaryFolder)
  const copies = createLocalCopies({ folder: copiesFolder, maxBytes: 2 * 1024 ** 3, temporary, download })
  const readers = new Map<string, number>()
  const departures = new EventEmitter().setMaxListeners(0)

  async function findFar(sha256: string) {
    blobKey(sha256) // refuses what is no sha256 before anybody is asked about it
    const file = await far.find(sha256)
    if (!file) throw notFound('File')
    return file
  }

  async function download(sha256: string, path: string) {
    const { stream } = await (await findFar(sha256)).open()
    await pipeline(stream, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
    if ((await hashLocal(path)).sha256 === sha256) return
    throw new AppError('damaged-file', 500, 'The file that was fetched is not the one that was uploaded.')
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
        departures.emit(sha256)
      }
    }
  }

  return {
    ...near,
    near,
    open: (sha256, range) =>
      near.open(sha256, range).catch(async (error) => {
        if (!isNotFound(error)) throw error
        return (await findFar(sha256)).open(range)
      }),
    stat: async (sha256) => (await near.stat(sha256)) ?? far.find(sha256),
    withLocalFile: (sha256, use) =>
      whileRead(sha256, async () => {
        let isBegun = false
        try {
          return await near.withLocalFile(sha256, (path) => {
            isBegun = true
            return use(path)
          })
        } catch (error) {
          if (isBegun || !isNotFound(error)) throw error
        }
        return copies.lend(sha256, use)
      }),
    async remove(sha256, limits) {
      await copies.forget(sha256)
      // What is far goes when nothing knows the blob any more.
      return (await near.remove(sha256, limits)) || (!(await near.stat(sha256)) && (await far.find(sha256)) !== null)
    },
    async verify(sha256, signal) {
      if (await near.stat(sha256)) return near.verify(sha256, signal)
      const file = await far.find(sha256)
      if (!file) return false
      try {
        return (await hashStream((await file.open()).stream, signal)).sha256 === sha256
      } catch (error) {
        if (isNotFound(error)) return false
        throw error
      }
    },
    openFar: async (sha256) => (await findFar(sha256)).open(),
    async removeNear(sha256) {
      if (readers.has(sha256)) return false
      return near.remove(sha256)
    },
    async unread(sha256) {
      while (readers.has(sha256)) await once(departures, sha256)
    },
    sweep: async (limits) => (await near.sweep(limits)) + (await temporary.sweep(limits)),
  }
}

const isNotFound = (error: unknown) => error instanceof AppError && error.code === 'not-found'
