import { create as contentDisposition } from 'content-disposition'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { parseByteRange } from '#engines/storage/byte-range.ts'
import type { ByteRange } from '#engines/storage/storage.ts'
import { AppError } from '#platform/errors.ts'
import { splitExtension } from '#shared/filenames.ts'
import { fitExtension, isMediaMimeType } from '../../mime-types.ts'
import type { Grant } from '../visibility.ts'
import type { FileQuery } from './open-file.ts'
import type { FileRow, ServedFile } from './served-file.ts'

type Sending = { media: FileRow; grant: Grant; file: ServedFile }

const yearSeconds = 365 * 24 * 3600
/** Proxies and CDNs revalidate soon, as the item may have become private. A 304 is cheap. */
const sharedSeconds = 5 * 60

/** For files opened directly in a browser tab: they are not pages and must not run scripts. */
const picturePolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
/** A browser wraps a video in a page of its own, which requests the video again from this origin with cookies. */
const filmPolicy = `${picturePolicy} allow-same-origin; media-src 'self'`

export async function sendFile(
  request: FastifyRequest<{ Querystring: FileQuery }>,
  reply: FastifyReply,
  { media, grant, file }: Sending,
) {
  return sendBytes(request, reply, file, {
    etag: etagOf(media, file),
    // The address of a file with words stays the same when they change.
    'cache-control': request.query.metadata === '1' ? 'private, no-cache' : cacheControl(grant),
    // The owner and visitors get different bytes at the same address.
    vary: 'Cookie',
    'content-disposition': contentDisposition(downloadName(media, file.mimeType), {
      type: request.query.download === '1' ? 'attachment' : 'inline',
    }),
    'cross-origin-resource-policy': grant.isForAnyone ? 'cross-origin' : 'same-origin',
  })
}

export const etagOf = ({ blob }: Pick<FileRow, 'blob'>, { recipe }: ServedFile) => `"${blob.slice(0, 24)}-${recipe}"`

/** ETag, 304, Range, 416 and HEAD as in RFC 9110. */
export async function sendBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  file: ServedFile,
  headers: Record<string, string> & { etag: string },
) {
  const { etag } = headers
  const isUnchanged = matches(request.headers['if-none-match'], etag)
  const range = isUnchanged ? 'whole' : wantedRange(request, { etag, bytes: file.bytes })
  if (range === 'unsatisfiable') {
    reply.header('content-range', `bytes */${file.bytes}`)
    throw new AppError('range-not-satisfiable', 416, 'The requested range is beyond the end of the file.')
  }
  const isPart = range !== 'whole'
  // The file is opened before the headers are set, so that an error is not sent with caching headers.
  const opened = isUnchanged ? null : await openFor(request.method, file, isPart ? range : undefined)
  reply.headers({
    ...headers,
    'accept-ranges': 'bytes',
    'content-type': file.mimeType,
    'x-content-type-options': 'nosniff',
    'content-security-policy': file.mimeType.startsWith('video/') ? filmPolicy : picturePolicy,
  })
  if (isUnchanged) return reply.code(304).removeHeader('content-type').send()

  if (isPart) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${file.bytes}`)
  reply.header('content-length', isPart ? range.end - range.start + 1 : file.bytes)
  if (opened === null) return reply.send('')
  if (Buffer.isBuffer(opened)) return reply.send(isPart ? opened.subarray(range.start, range.end + 1) : opened)
  return reply.send(opened.stream)
}

/** HEAD must give the same status as GET for files missing from the storage, so the first byte is read. */
async function openFor(method: string, file: ServedFile, range: ByteRange | undefined) {
  if (method !== 'HEAD') return file.open(range)
  const opened = await file.open({ start: 0, end: 0 })
  if (!Buffer.isBuffer(opened)) opened.stream.destroy()
  return null
}

/** A response that is the owner's, depends on a password or ends with its link must not enter a shared cache. */
function cacheControl({ isForAnyone, endsAt }: Grant) {
  if (endsAt !== null) {
    const remainingSeconds = Math.floor((endsAt - Date.now()) / 1000)
    return `private, max-age=${Math.min(yearSeconds, Math.max(0, remainingSeconds))}`
  }
  const byBrowsers = `max-age=${yearSeconds}, immutable`
  return isForAnyone ? `public, ${byBrowsers}, s-maxage=${sharedSeconds}` : `private, ${byBrowsers}`
}

/** Ranges apply only to GET, and only if the client's other parts are of the same bytes. */
function wantedRange({ method, headers }: FastifyRequest, { etag, bytes }: { etag: string; bytes: number }) {
  const ifRange = headers['if-range']
  return method !== 'GET' || (ifRange && ifRange !== etag) ? 'whole' : parseByteRange(headers.range, bytes)
}

function matches(header: string | undefined, etag: string) {
  if (!header) return false
  return header === '*' || header.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag)
}

const extensions: Record<string, string> = {
  'image/webp': '.webp',
  'image/avif': '.avif',
  'image/jpeg': '.jpg',
  'image/png': '.png',
  'image/gif': '.gif',
  'video/mp4': '.mp4',
}

/**
 * The file name for saving. Item names may lack an extension, without which no program would open the file. A rendition takes
 * the extension of its own type.
 */
export function downloadName({ filename, mime_type }: Pick<FileRow, 'filename' | 'mime_type'>, mimeType = mime_type) {
  const name = isMediaMimeType(mime_type) ? fitExtension(filename, mime_type) : filename
  return mimeType === mime_type ? name : splitExtension(name).stem + (extensions[mimeType] ?? '')
}
