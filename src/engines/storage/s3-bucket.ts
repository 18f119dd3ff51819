import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { notFound } from '#platform/errors.ts'
import { rangeNotSatisfiable } from './local-files.ts'
import { explainS3Error, isInvalidRange, isMissing, isNotImplemented } from './s3-errors.ts'
import type { ByteRange, FileFacts, OpenedFile } from './storage.ts'

export type S3Options = {
  bucket: string
  region?: string
  endpoint?: string
  accessKeyId?: string
  secretAccessKey?: string
  forcePathStyle?: boolean
  /** Prefix of every key, e.g. `albumen/`. */
  prefix?: string
}

export type S3Bucket = ReturnType<typeof createS3Bucket>

/** Files up to this size are sent in one request, which can be repeated after an error; larger ones in parts, two at a time. */
const partBytes = 8 * 1024 * 1024
/** Largest object that S3 can copy; copying onto itself makes an object recent without sending it again. */
const maxCopyBytes = 5 * 1024 ** 3
/** An object younger than this is safe from the janitor, who waits an hour, even if the clocks differ. */
const recentMs = 10 * 60_000

/** One bucket as a set of named files: keys are without the prefix, and errors are translated. */
export function createS3Bucket(options: S3Options) {
  const { bucket: Bucket, prefix = '' } = options
  const client = createClient(options)
  const at = (key: string) => ({ Bucket, Key: prefix + key })

  async function head(key: string): Promise<FileFacts | null> {
    const facts = await unlessMissing(client.send(new HeadObjectCommand(at(key))))
    return facts && { bytes: facts.ContentLength ?? 0, modifiedAt: facts.LastModified ?? new Date(0) }
  }

  async function open(key: string, range?: ByteRange): Promise<OpenedFile> {
    const Range = range && `bytes=${range.start}-${range.end}`
    const answer = await unlessMissing(client.send(new GetObjectCommand({ ...at(key), Range })))
    if (!answer?.Body) throw notFound('File')
    // In Node the SDK's body is the response itself.
    return { stream: answer.Body as Readable, bytes: answer.ContentLength ?? 0 }
  }

  async function putBuffer(key: string, data: Uint8Array, sha256?: string) {
    // With a checksum the service rejects bytes that changed in transit.
    const ChecksumSHA256 = sha256 && Buffer.from(sha256, 'hex').toString('base64')
    await withExplainedErrors(client.send(new PutObjectCommand({ ...at(key), Body: data, ChecksumSHA256 })))
  }

  async function putFile(key: string, { path, bytes, sha256 }: { path: string; bytes: number; sha256?: string }) {
    if (bytes <= partBytes) return putBuffer(key, await readFile(path), sha256)
    const Body = createReadStream(path, { highWaterMark: 1024 * 1024 })
    try {
      await withExplainedErrors(
        new Upload({ client, params: { ...at(key), Body }, partSize: partBytes, queueSize: 2 }).done(),
      )
    } finally {
      Body.destroy()
    }
    const stored = await head(key)
    if (stored?.bytes !== bytes) throw new Error(`Expected ${bytes} bytes stored as ${key}, found ${stored?.bytes}`)
  }

  /** Returns whether a recent object of this size exists; an old one is made recent if the service can do that. */
  async function refresh(key: string, bytes: number) {
    const existing = await head(key)
    if (existing?.bytes !== bytes) return false
    if (Date.now() - existing.modifiedAt.getTime() < recentMs) return true
    if (bytes > maxCopyBytes) return false
    const CopySource = `${Bucket}/${(prefix + key).split('/').map(encodeURIComponent).join('/')}`
    const copy = new CopyObjectCommand({ ...at(key), CopySource, MetadataDirective: 'REPLACE' })
    const copied = await unlessMissing(client.send(copy))
    // Some services do not update the date of an object that is copied onto itself.
    const renewedAt = copied?.CopyObjectResult?.LastModified
    return renewedAt !== undefined && renewedAt > existing.modifiedAt
  }

  async function* list(folder: string) {
    const pages = paginateListObjectsV2({ client, pageSize: 1000 }, { Bucket, Prefix: prefix + folder })
    try {
      for await (const page of pages) {
        for (const { Key = '', Size: bytes = 0, LastModified: modifiedAt = new Date(0) } of page.Contents ?? []) {
          yield { key: Key.slice(prefix.length), bytes, modifiedAt }
        }
      }
    } catch (error) {
      throw explainS3Error(error)
    }
  }

  return {
    head,
    open,
    putBuffer,
    putFile,
    refresh,
    list,
    remove: (key: string) => withExplainedErrors(client.send(new DeleteObjectCommand(at(key)))),
    abortStaleUploads: (olderThanMs: number) =>
      withExplainedErrors(abortStaleUploads(client, { Bucket, prefix, olderThanMs })),
    /** Listing costs more than a HEAD request, which any web server answers with 200; only an S3 service answers a list. */
    assertS3Service: (key: string) =>
      withExplainedErrors(
        client.send(new ListObjectsV2Command({ Bucket, Prefix: prefix + key }), {
          abortSignal: AbortSignal.timeout(5_000),
        }),
      ),
    check: () =>
      withExplainedErrors(client.send(new HeadBucketCommand({ Bucket }), { abortSignal: AbortSignal.timeout(5_000) })),
    close: () => client.destroy(),
  }
}

function createClient({ region = 'us-east-1', endpoint, forcePathStyle, ...options }: S3Options) {
  const { accessKeyId, secretAccessKey } = options
  return new S3Client({
    region,
    endpoint,
    forcePathStyle,
    // Without keys the SDK reads credentials from the environment or the instance role.
    credentials: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined,
    // Some services reject requests with checksums that only Amazon supports.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // Each viewer of a video holds a socket, so the SDK's limit of 50 is too low.
    requestHandler: {
      connectionTimeout: 5_000,
      socketTimeout: 120_000,
      httpAgent: { maxSockets: 512 },
      httpsAgent: { maxSockets: 512 },
    },
  })
}

async function unlessMissing<T>(answer: Promise<T>) {
  try {
    return await answer
  } catch (error) {
    if (isMissing(error)) return null
    if (isInvalidRange(error)) throw rangeNotSatisfiable()
    throw explainS3Error(error)
  }
}

async function withExplainedErrors<T>(answer: Promise<T>) {
  try {
    return await answer
  } catch (error) {
    throw explainS3Error(error)
  }
}

type StaleUploads = { Bucket: string; prefix: string; olderThanMs: number }

/**
 * Aborts multipart uploads that a crash interrupted: their parts are invisible in listings, yet they cost money. Only keys below
 * the prefix are touched, because another program may use the same bucket. Returns their number.
 */
export async function abortStaleUploads(client: S3Client, { prefix, ...options }: StaleUploads) {
  let aborted = 0
  for (const folder of ['blobs/', 'derived/'])
    aborted += await abortBelow(client, { ...options, prefix: `${prefix}${folder}` })
  return aborted
}

async function abortBelow(client: S3Client, { Bucket, prefix, olderThanMs }: StaleUploads) {
  const limit = Date.now() - olderThanMs
  let aborted = 0
  let marker: { KeyMarker?: string; UploadIdMarker?: string } | undefined = {}
  while (marker) {
    const page = await listUploads(client, { Bucket, Prefix: prefix, ...marker })
    for (const { Key, UploadId, Initiated } of page?.Uploads ?? []) {
      if (!Initiated || Initiated.getTime() > limit) continue
      await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId })).catch(ignoreMissing)
      aborted++
    }
    marker = page?.IsTruncated ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker } : undefined
  }
  return aborted
}

/** Null if the service does not support the call; then it cleans up itself or keeps no such parts. */
async function listUploads(client: S3Client, input: ConstructorParameters<typeof ListMultipartUploadsCommand>[0]) {
  try {
    return await client.send(new ListMultipartUploadsCommand(input))
  } catch (error) {
    if (isNotImplemented(error)) return null
    throw error
  }
}

function ignoreMissing(error: unknown) {
  if (!isMissing(error)) throw error
}
