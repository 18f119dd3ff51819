import type { ByteRange } from './storage.ts'

/** `whole`: answer 200 with everything. `unsatisfiable`: answer 416 and name the file's size in `Content-Range`. */
type RangeWish = ByteRange | 'whole' | 'unsatisfiable'

/**
 * Reads a `Range` header for a file of `bytes` bytes (RFC 9110, 14.2). A header that is not understood is ignored, as
 * the standard wants; so are several ranges at once, which no player needs and which would cost a multipart answer.
 */
export function parseByteRange(header: string | undefined, bytes: number): RangeWish {
  const match = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? '')
  if (!match) return 'whole'
  const [, first = '', last = ''] = match
  if (first === '' && last === '') return 'whole'
  if (first === '') return lastBytes(Number(last), bytes)
  const start = Number(first)
  const end = last === '' ? Number.POSITIVE_INFINITY : Number(last)
  if (end < start) return 'whole'
  if (start >= bytes) return 'unsatisfiable'
  return { start, end: Math.min(end, bytes - 1) }
}

function lastBytes(count: number, bytes: number): RangeWish {
  if (count === 0 || bytes === 0) return 'unsatisfiable'
  return { start: Math.max(0, bytes - count), end: bytes - 1 }
}
