import { openAsBlob } from 'node:fs'
import ImageKit from '@imagekit/nodejs'
import { request } from 'undici'
import { hashStream } from '#engines/storage/local-files.ts'
import { AppError } from '#platform/errors.ts'

export type ImageKitOptions = { privateKey: string; urlEndpoint: string; apiUrl?: string; uploadUrl?: string }
export type RemoteFile = { fileId: string; filePath: string; name: string; bytes: number }

/** A cloud may be slow with half a gigabyte, and must not be waited for for ever. */
const uploadTimeoutMs = 10 * 60_000
const callTimeoutMs = 30_000

export type ImageKitEngine = ReturnType<typeof createImageKitEngine>

/** What we need of ImageKit, in our words. Its addresses come from the settings only. */
export function createImageKitEngine({ privateKey, urlEndpoint, apiUrl, uploadUrl }: ImageKitOptions) {
  const shared = { privateKey, maxRetries: 2, timeout: callTimeoutMs }
  // Always said, or the library would look for them in the environment by itself.
  const api = new ImageKit({ ...shared, baseURL: apiUrl ?? 'https://api.imagekit.io' })
  const uploads = new ImageKit({
    ...shared,
    baseURL: uploadUrl ?? 'https://upload.imagekit.io',
    timeout: uploadTimeoutMs,
  })

  /** The same name in the same folder is the same file: sending it again makes no second one. */
  async function upload(path: string, place: { folder: string; fileName: string; isPrivate: boolean }) {
    const { folder, fileName, isPrivate } = place
    const file = new File([await openAsBlob(path)], fileName)
    const sent = await explained(
      uploads.files.upload({
        file,
        fileName,
        folder,
        isPrivateFile: isPrivate,
        useUniqueFileName: false,
        overwriteFile: true,
      }),
    )
    return asRemoteFile(sent)
  }

  /** As the file is, not as it would be served to a browser: without format and quality chosen by ImageKit. */
  async function hashOriginal(filePath: string) {
    const { statusCode, body } = await request(addressOf(filePath, true, 'orig-true'), {
      headersTimeout: callTimeoutMs,
      bodyTimeout: callTimeoutMs,
    }).catch((error) => {
      throw notReached(error)
    })
    if (statusCode === 200) return hashStream(body)
    await body.dump()
    throw new AppError('imagekit', 502, `ImageKit answered ${statusCode} when the copy was read again.`)
  }

  function addressOf(filePath: string, isSigned: boolean, raw?: string) {
    return api.helper.buildSrc({
      urlEndpoint,
      src: filePath,
      signed: isSigned,
      ...(raw && { transformation: [{ raw }], transformationPosition: 'query' as const }),
    })
  }

  return {
    upload,
    hashOriginal,
    addressOf: (filePath: string, { isPrivate }: { isPrivate: boolean }) => addressOf(filePath, isPrivate),
    async rename({ fileId, filePath }: Pick<RemoteFile, 'fileId' | 'filePath'>, newFileName: string) {
      await explained(api.files.rename({ filePath, newFileName, purgeCache: true }))
      return asRemoteFile(await explained(api.files.get(fileId)))
    },
    async remove(fileId: string) {
      try {
        await api.files.delete(fileId)
      } catch (error) {
        if (!(error instanceof ImageKit.APIError) || error.status !== 404) throw notReached(error)
      }
    },
  }
}

function asRemoteFile(sent: { fileId?: string; filePath?: string; name?: string; size?: number }): RemoteFile {
  const { fileId, filePath, name, size } = sent
  if (!fileId || !filePath || !name || size === undefined) {
    throw new AppError('imagekit', 502, 'ImageKit answered in a way that cannot be understood.')
  }
  return { fileId, filePath, name, bytes: size }
}

async function explained<T>(answer: Promise<T>) {
  try {
    return await answer
  } catch (error) {
    throw notReached(error)
  }
}

function notReached(error: unknown) {
  const status = error instanceof ImageKit.APIError ? error.status : undefined
  const sentence =
    status === 401 || status === 403
      ? 'ImageKit refused the key. Please check IMAGEKIT_PRIVATE_KEY.'
      : status === undefined
        ? 'ImageKit does not answer. Please try again later.'
        : `ImageKit answered ${status}. Please try again later.`
  const fault = new AppError('imagekit', 502, sentence)
  fault.cause = error
  return fault
}
