import { create as contentDisposition } from 'content-disposition'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { parseByteRange } from '#engines/storage/byte-range.ts'
import type { ByteRange } from '#engines/storage/storage.ts'
import { AppError } from '#platform/errors.ts'
import { splitExtension } from '#shared/filenames.ts'
import { fitExtension, isMediaMimeType } from '../../mime-types.ts'
import type { FileQuery, FileRow, ServedFile } from './open-file.ts'

/** `isForAnyone`: false when this answer is the owner's, or depends on a password; no shared cache may keep it then. */
type Sending = { media: FileRow; isForAnyone: boolean; file: ServedFile }

const yearSeconds = 365 * 24 * 3600
/** What a proxy or a CDN keeps for all is asked for again before long: it may have been taken back. A 304 costs little. */
const sharedSeconds = 5 * 60

/** For whoever opens the address by itself: a file is no page, and nothing in it runs. */
const picturePolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
/** A browser makes a page of its own around a film, which asks for the film once more: from here, and with our cookies. */
const filmPolicy = `${picturePolicy} allow-same-origin; media-src 'self'`

/** ETag, 304, Range, 416, HEAD: as RFC 9110 wants them, for bytes that never change under their address. */
export async function sendFile(
  request: FastifyRequest<{ Querystring: FileQuery }>,
  reply: FastifyReply,
  { media, isForAnyone, file }: Sending,
) {
  const etag = `"${media.blob.slice(0, 24)}-${file.recipe}"`
  const isUnchanged = matches(request.headers['if-none-match'], etag)
  const range = isUnchanged ? 'whole' : wantedRange(request, { etag, bytes: file.bytes })
  if (range === 'unsatisfiable') {
    reply.header('content-range', `bytes */${file.bytes}`)
    throw new AppError('range-not-satisfiable', 416, 'The requested range is beyond the end of the file.')
  }
  const isPart = range !== 'whole'
  // Opened before anything is said about it: a fault must not be told with the headers of a file that is kept for a year.
  const opened = isUnchanged ? null : await openFor(request.method, file, isPart ? range : undefined)
  reply.headers({
    etag,
    'accept-ranges': 'bytes',
    'cache-control': cacheControl(isForAnyone),
    // The owner and a visitor get different bytes under one address.
    vary: 'Cookie',
    'content-type': file.mimeType,
    'content-disposition': contentDisposition(downloadName(media, file.mimeType), {
      type: request.query.download === '1' ? 'attachment' : 'inline',
    }),
    'x-content-type-options': 'nosniff',
    'content-security-policy': file.mimeType.startsWith('video/') ? filmPolicy : picturePolicy,
    'cross-origin-resource-policy': isForAnyone ? 'cross-origin' : 'same-origin',
  })
  if (isUnchanged) return reply.code(304).removeHeader('content-type').send()

  if (isPart) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${file.bytes}`)
  reply.header('content-length', isPart ? range.end - range.start + 1 : file.bytes)
  if (opened === null) return reply.send('')
  if (Buffer.isBuffer(opened)) return reply.send(isPart ? opened.subarray(range.start, range.end + 1) : opened)
  return reply.send(opened.stream)
}

/** HEAD is answered as GET would be, also about bytes that the storage has lost: the first one is looked for. */
async function openFor(method: string, file: ServedFile, range: ByteRange | undefined) {
  if (method !== 'HEAD') return file.open(range)
  const opened = await file.open({ start: 0, end: 0 })
  if (!Buffer.isBuffer(opened)) opened.stream.destroy()
  return null
}

function cacheControl(isForAnyone: boolean) {
  const byBrowsers = `max-age=${yearSeconds}, immutable`
  return isForAnyone ? `public, ${byBrowsers}, s-maxage=${sharedSeconds}` : `private, ${byBrowsers}`
}

/** Only GET knows ranges, and a part is sent only of the very bytes that the asker has the rest of. */
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
  'video/mp4': '.mp4',
}

/**
 * What a file is called where it is saved. A person may call an item anything; without an extension no program would open
 * its file. A rendition keeps the name and takes the extension of what it is.
 */
export function downloadName({ filename, mime_type }: Pick<FileRow, 'filename' | 'mime_type'>, mimeType = mime_type) {
  const name = isMediaMimeType(mime_type) ? fitExtension(filename, mime_type) : filename
  return mimeType === mime_type ? name : splitExtension(name).stem + (extensions[mimeType] ?? '')
}
