import { openAsBlob } from 'node:fs'
import { stat } from 'node:fs/promises'
import ImageKit from '@imagekit/nodejs'
import { hashStream } from '#engines/storage/local-files.ts'
import type { ByteRange } from '#engines/storage/storage.ts'
import { openDelivered } from './delivery.ts'
import { asAway, notUnderstood, statusOf } from './imagekit-errors.ts'

type ImageKitOptions = {
  privateKey: string
  urlEndpoint: string
  apiUrl?: string
  uploadUrl?: string
  /** How long ImageKit may be silent. */
  timeoutMs: number
}
type RemoteFile = { fileId: string; filePath: string; bytes: number }

/** What the slowest line that we wait for carries; how far a file has come cannot be seen, only how long it takes. */
const slowestBytesPerMs = 100
const retries = { calls: 2, uploads: 1 }

export type ImageKitEngine = ReturnType<typeof createImageKitEngine>

/** What we need of ImageKit, in our words. Its addresses come from the settings only. */
export function createImageKitEngine({ privateKey, urlEndpoint, apiUrl, uploadUrl, timeoutMs }: ImageKitOptions) {
  const shared = { privateKey, timeout: timeoutMs }
  // Always said, or the library would look for them in the environment by itself.
  const api = new ImageKit({ ...shared, baseURL: apiUrl ?? 'https://api.imagekit.io', maxRetries: retries.calls })
  const uploads = new ImageKit({
    ...shared,
    baseURL: uploadUrl ?? 'https://upload.imagekit.io',
    maxRetries: retries.uploads,
  })

  /** The same name in the same folder is the same file: sending it again makes no second one. */
  async function upload(path: string, place: { folder: string; fileName: string; isPrivate: boolean }) {
    const { folder, fileName, isPrivate } = place
    const file = new File([await openAsBlob(path)], fileName)
    const timeout = timeoutMs + Math.ceil((await stat(path)).size / slowestBytesPerMs)
    const sent = await explained(
      uploads.files.upload(
        { file, fileName, folder, isPrivateFile: isPrivate, useUniqueFileName: false, overwriteFile: true },
        { timeout },
      ),
    )
    return asRemoteFile(sent)
  }

  function addressOf(filePath: string, isSigned: boolean, raw?: string) {
    return api.helper.buildSrc({
      urlEndpoint,
      src: filePath,
      signed: isSigned,
      ...(raw && { transformation: [{ raw }], transformationPosition: 'query' as const }),
    })
  }

  /** As the file is, not as it would be served to a browser: without format and quality chosen by ImageKit. */
  const open = (filePath: string, wanted: { range?: ByteRange; totalBytes?: number } = {}) =>
    openDelivered(addressOf(filePath, true, 'orig-true'), { ...wanted, timeoutMs })

  return {
    upload,
    /** Null when there is no such file. */
    open,
    async hash(filePath: string) {
      const opened = await open(filePath)
      return opened && hashStream(opened.stream).catch((error) => Promise.reject(asAway(error)))
    },
    addressOf: (filePath: string, { isPrivate }: { isPrivate: boolean }) => addressOf(filePath, isPrivate),
    async find(fileId: string) {
      const found = await unlessMissing(api.files.get(fileId))
      return found && asRemoteFile(found)
    },
    async rename({ fileId, filePath }: Pick<RemoteFile, 'fileId' | 'filePath'>, newFileName: string) {
      await explained(api.files.rename({ filePath, newFileName, purgeCache: true }))
      return asRemoteFile(await explained(api.files.get(fileId)))
    },
    /** With all that is in it, also from the caches on the way. A folder that is not there is as good as removed. */
    async removeFolder(folder: string, filePath: string) {
      await unlessMissing(api.folders.delete({ folderPath: folder }))
      await unlessMissing(api.cache.invalidation.create({ url: addressOf(filePath, false) }))
    },
    /** Cheap, for the health check. */
    check: () => explained(api.assets.list({ limit: 1 }, { maxRetries: 0 })),
  }
}

function asRemoteFile({ fileId, filePath, size }: { fileId?: string; filePath?: string; size?: number }): RemoteFile {
  // An address instead of a path would lead us elsewhere.
  if (!fileId || !filePath?.startsWith('/') || size === undefined) throw notUnderstood()
  return { fileId, filePath, bytes: size }
}

async function explained<T>(answer: Promise<T>) {
  try {
    return await answer
  } catch (error) {
    throw asAway(error)
  }
}

async function unlessMissing<T>(answer: Promise<T>) {
  try {
    return await answer
  } catch (error) {
    if (statusOf(error) === 404) return null
    throw asAway(error)
  }
}
