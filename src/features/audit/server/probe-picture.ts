import type { PublicWeb } from '#engines/web/fetch-public.ts'
import { type PixelSize, readImageSize } from '#features/scraper/server/image-size.ts'

export type Probed = { format: string | null; bytes: number | null; width: number | null; height: number | null }
type Probing = { foundOn: string; signal: AbortSignal }

/** A JPEG has its dimensions behind its metadata, which for most fits into this. */
const headBytes = 64 * 1024
const unknown: Probed = { format: null, bytes: null, width: null, height: null }
/** Of one job, so that a logo on fifty pages is requested once. */
const maxRemembered = 5000

/** Reads type, dimensions and size from the start of a picture. What cannot be had stays unknown; it never fails. */
export function createProbe(web: PublicWeb) {
  const known = new Map<string, Promise<Probed>>()
  return (url: string, probing: Probing): Promise<Probed> => {
    const probed = known.get(url) ?? probe(web, url, probing)
    if (known.size < maxRemembered) known.set(url, probed)
    return probed
  }
}

async function probe(web: PublicWeb, url: string, { foundOn, signal }: Probing): Promise<Probed> {
  try {
    signal.throwIfAborted()
    const { bytes: head, size } = await web.peek(url, { bytes: headBytes, foundOn, signal })
    const format = formatOf(head)
    // An error page has a size too, but it is not that of a picture.
    if (!format) return unknown
    const { width, height } = sizeOf(head, format) ?? { width: null, height: null }
    return { format, bytes: size ?? (head.length < headBytes ? head.length : null), width, height }
  } catch {
    // The measuring or the import says what is wrong.
    return unknown
  }
}

const signatures: [format: string, offset: number, start: string][] = [
  ['jpeg', 0, '\xff\xd8\xff'],
  ['png', 0, '\x89PNG\r\n'],
  ['gif', 0, 'GIF8'],
  ['webp', 8, 'WEBP'],
  ['avif', 4, 'ftypavi'],
  ['bmp', 0, 'BM'],
]

const formatOf = (head: Buffer) =>
  signatures.find(([, offset, start]) => head.toString('latin1', offset, offset + start.length) === start)?.[0] ?? null

function sizeOf(head: Buffer, format: string): PixelSize | undefined {
  if (format === 'avif') return readAvif(head)
  if (format !== 'bmp') return readImageSize(head)
  // The height of a picture that is stored from the top is negative.
  return head.length < 26 ? undefined : { width: head.readInt32LE(18), height: Math.abs(head.readInt32LE(22)) }
}

/** The first `ispe` box belongs to the picture itself in what common encoders write. */
function readAvif(head: Buffer): PixelSize | undefined {
  const box = head.indexOf('ispe', 0, 'latin1')
  if (box < 0 || box + 16 > head.length) return undefined
  return { width: head.readUInt32BE(box + 8), height: head.readUInt32BE(box + 12) }
}
