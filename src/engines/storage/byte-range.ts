import type { ByteRange } from './storage.ts'

/** `whole`: respond 200 with the entire file. `unsatisfiable`: respond 416 with the file's size in `Content-Range`. */
type ParsedRange = ByteRange | 'whole' | 'unsatisfiable'

/**
 * Parses a `Range` header for a file of `bytes` bytes (RFC 9110, 14.2). An invalid header is ignored, as the standard demands.
 * Several ranges are ignored too: no player needs them, and they would require a multipart response.
 */
export function parseByteRange(header: string | undefined, bytes: number): ParsedRange {
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

function lastBytes(count: number, bytes: number): ParsedRange {
  if (count === 0 || bytes === 0) return 'unsatisfiable'
  return { start: Math.max(0, bytes - count), end: bytes - 1 }
}
