import { createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { AppError } from '#platform/errors.ts'
import { explainDiskError } from './disk.ts'
import { derivedFolder, derivedKey } from './keys.ts'
import type { S3Bucket } from './s3-bucket.ts'
import { explainS3Error } from './s3-errors.ts'
import type { DerivedFiles } from './storage.ts'
import type { TemporaryFiles } from './temporary-files.ts'

export function createS3Derived(bucket: S3Bucket, temporary: TemporaryFiles): DerivedFiles {
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
      await temporary.withTakenOver(sourcePath, async (path) => {
        const { size: bytes } = await stat(path)
        await bucket.putFile(target, { path, bytes })
      })
    },
    writeBuffer: async (key, data) => bucket.putBuffer(derivedKey(key), data),
    // Unlike a blob, a derived file may be written anew under its name, so no copy of it is kept.
    withLocalFile: (key, use) =>
      temporary.withPath(async (path) => {
        await downloadTo(bucket, { key: derivedKey(key), path })
        return use(path)
      }),
    async remove(sha256) {
      for await (const { key } of bucket.list(`${derivedFolder(sha256)}/`)) await bucket.remove(key)
    },
    async removeRecipes(sha256, { prefix, except }) {
      const folder = derivedFolder(sha256)
      for await (const { key } of bucket.list(`${folder}/${prefix}`))
        if (key !== `${folder}/${except}`) await bucket.remove(key)
    },
    temporaryPath: temporary.freshPath,
  }
}

export async function downloadTo(bucket: S3Bucket, { key, path }: { key: string; path: string }) {
  const { stream } = await bucket.open(key)
  try {
    await pipeline(stream, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
  } catch (error) {
    throw explainDiskError(explainS3Error(error))
  }
}
