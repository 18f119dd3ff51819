import { createWriteStream } from 'node:fs'
import { mkdir, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { AppError } from '#platform/errors.ts'
import { createBlobCache } from './blob-cache.ts'
import { explainDiskError, nodeDisk, throwExplained } from './disk.ts'
import { blobKey, blobOfKey, derivedFolder, derivedKey, recipeOfKey } from './keys.ts'
import { hashLocal, hashStream } from './local-files.ts'
import { type ReceivedFile, receive } from './receive.ts'
import { createS3Bucket, type S3Bucket, type S3Options } from './s3-bucket.ts'
import { explainS3Error, unusableBucket } from './s3-errors.ts'
import type { CommitOptions, DerivedFiles, Storage } from './storage.ts'
import { createTemporaryFiles, type TemporaryFiles } from './temporary-files.ts'

type S3StorageOptions = S3Options & {
  /** Local folder for staged files before they are uploaded, and for the blob cache. */
  cacheDirectory: string
}

const markerKey = 'library-id'

/** Parts of a running upload look like those of an interrupted one, and a slow line needs hours. */
const slowestUploadMs = 24 * 3600_000

/** Blobs in a bucket. Bytes are first written to the local disk, because their hash, which is their name, must be known. */
export async function createS3Storage(options: S3StorageOptions): Promise<Storage> {
  const scratch = resolve(options.cacheDirectory)
  const [temporaryFolder, copiesFolder] = [join(scratch, 'tmp'), join(scratch, 'copies')]
  for (const folder of [temporaryFolder, copiesFolder]) await mkdir(folder, { recursive: true, mode: 0o700 })
  const temporary = createTemporaryFiles(temporaryFolder)
  const bucket = createS3Bucket(options)
  await bucket.assertS3Service(markerKey).catch((error) => {
    bucket.close()
    throw unusableBucket(error, options.bucket)
  })
  const cache = createBlobCache({
    folder: copiesFolder,
    maxBytes: 4 * 1024 ** 3,
    temporary,
    download: (sha256, path) => downloadBlob(bucket, sha256, path),
  })

  /** Bytes that the bucket already has are not sent again, unless they may be damaged, which their size does not show. */
  async function commit({ file, ...received }: ReceivedFile, { replaceExisting = false }: CommitOptions) {
    await file.close()
    const isStored = !replaceExisting && (await bucket.refresh(blobKey(received.sha256), received.bytes))
    if (!isStored) await upload(bucket, received)
    await rm(received.path, { force: true })
  }

  return {
    receive: (source, limits) => receive(source, limits, { disk: nodeDisk, path: temporary.freshPath(), commit }),
    adopt: (source, known) =>
      temporary
        .withMovedFile(source, async (path) => {
          const hashed = known ?? (await hashLocal(path))
          await upload(bucket, { path, ...hashed })
          return hashed
        })
        .catch(throwExplained),
    open: async (sha256, range) => bucket.open(blobKey(sha256), range),
    stat: async (sha256) => bucket.head(blobKey(sha256)),
    withLocalFile: async (sha256, use) => {
      blobKey(sha256) // throws for anything but a sha256 before it becomes a file name
      return cache.withFile(sha256, use)
    },
    async remove(sha256, { unchangedSince } = {}) {
      const facts = await bucket.head(blobKey(sha256))
      const isChanged = unchangedSince !== undefined && facts && facts.modifiedAt.getTime() > unchangedSince
      if (!facts || isChanged) return false
      await bucket.remove(blobKey(sha256))
      await cache.evict(sha256)
      return true
    },
    async *list() {
      for await (const { key, ...facts } of bucket.list('blobs/')) {
        const sha256 = blobOfKey(key)
        if (sha256) yield { sha256, ...facts }
      }
    },
    async verify(sha256, signal) {
      if (!(await bucket.head(blobKey(sha256)))) return false
      return (await hashStream((await bucket.open(blobKey(sha256))).stream, signal)).sha256 === sha256
    },
    async check() {
      await temporary.check()
      await bucket.check()
    },
    derived: createS3Derived(bucket, temporary),
    sweep: async (limits) => (await temporary.sweep(limits)) + (await bucket.abortStaleUploads(slowestUploadMs)),
    marker: {
      read: async () => ((await bucket.head(markerKey)) ? text((await bucket.open(markerKey)).stream) : null),
      write: (id) => bucket.putBuffer(markerKey, Buffer.from(id)),
    },
    close: async () => bucket.close(),
  }
}

const upload = (bucket: S3Bucket, file: Omit<ReceivedFile, 'file'>) => bucket.putFile(blobKey(file.sha256), file)

/** Decoders get exactly the bytes that were uploaded, or an error. */
async function downloadBlob(bucket: S3Bucket, sha256: string, path: string) {
  await downloadTo(bucket, { key: blobKey(sha256), path })
  if ((await hashLocal(path)).sha256 === sha256) return
  throw new AppError('damaged-file', 500, 'The stored file is damaged: its bytes differ from the uploaded ones.')
}

function createS3Derived(bucket: S3Bucket, temporary: TemporaryFiles): DerivedFiles {
  return {
    stat: async (key) => bucket.head(derivedKey(key)),
    open: async (key, range) => bucket.open(derivedKey(key), range),
    async read(key) {
      try {
        return await buffer((await bucket.open(derivedKey(key))).stream)
      } catch (error) {
        if (error instanceof AppError && error.code === 'not-found') return null
        throw explainS3Error(error)
      }
    },
    async write(key, sourcePath) {
      const target = derivedKey(key)
      await temporary.withMovedFile(sourcePath, async (path) => {
        const { size: bytes } = await stat(path)
        await bucket.putFile(target, { path, bytes })
      })
    },
    writeBuffer: async (key, data) => bucket.putBuffer(derivedKey(key), data),
    // A derived file may be replaced under the same name, so its local copy is not cached.
    withLocalFile: (key, use) =>
      temporary.withPath(async (path) => {
        await downloadTo(bucket, { key: derivedKey(key), path })
        return use(path)
      }),
    async remove(sha256) {
      for await (const { key } of bucket.list(`${derivedFolder(sha256)}/`)) await bucket.remove(key)
    },
    removeOne: async (key) => void (await bucket.remove(derivedKey(key))),
    async touch(key) {
      const facts = await bucket.head(derivedKey(key))
      if (facts) await bucket.refresh(derivedKey(key), facts.bytes)
    },
    async *list() {
      for await (const { key: name, ...facts } of bucket.list('derived/')) {
        const key = recipeOfKey(name)
        if (key) yield { key, ...facts }
      }
    },
    async removeRecipes(sha256, { prefix, except }) {
      const folder = derivedFolder(sha256)
      for await (const { key } of bucket.list(`${folder}/${prefix}`))
        if (key !== `${folder}/${except}`) await bucket.remove(key)
    },
    temporaryPath: temporary.freshPath,
  }
}

async function downloadTo(bucket: S3Bucket, { key, path }: { key: string; path: string }) {
  const { stream } = await bucket.open(key)
  try {
    await pipeline(stream, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
  } catch (error) {
    throw explainDiskError(explainS3Error(error))
  }
}
