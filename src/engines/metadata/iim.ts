import { cleanText, maxKeywords, type PictureWords, withoutEmpty } from './picture-words.ts'

/** A block of Photoshop resources or of plain IPTC records has at most this many bytes that are read. */
const maxIimBytes = 256 * 1024
const maxRecords = 5000

const recordNumbers = {
  title: 5,
  keywords: 25,
  creator: 80,
  headline: 105,
  credit: 110,
  source: 115,
  rights: 116,
  description: 120,
} as const

/** Reads IPTC records (IIM) from the block that the decoder found; none if it is damaged. */
export function readIim(block: Uint8Array | undefined): PictureWords {
  if (!block) return {}
  const bytes = Buffer.from(block.buffer, block.byteOffset, Math.min(block.length, maxIimBytes))
  const { values, isUtf8 } = readRecords(findIptc(bytes))
  const all = (name: keyof typeof recordNumbers) =>
    (values.get(recordNumbers[name]) ?? []).map((value) => decode(value, isUtf8))
  const text = (name: keyof typeof recordNumbers) => cleanText(all(name)[0] ?? '')
  return withoutEmpty({
    title: text('title') ?? text('headline'),
    description: cleanText(all('description')[0] ?? '', { hasLines: true }),
    keywords: all('keywords')
      .flatMap((keyword) => cleanText(keyword) ?? [])
      .slice(0, maxKeywords),
    creator: cleanText(
      all('creator')
        .flatMap((name) => cleanText(name) ?? [])
        .join(', '),
    ),
    credit: text('credit'),
    rights: text('rights'),
    source: text('source'),
  })
}

const iptcResource = 0x0404

/** In Photoshop's resources the records are one of several; a block without resources begins with a record. */
function findIptc(bytes: Buffer): Buffer {
  let at = bytes.indexOf('8BIM', 0, 'latin1')
  if (bytes[0] === 0x1c || at < 0) return bytes
  while (at + 12 <= bytes.length && bytes.toString('latin1', at, at + 4) === '8BIM') {
    const id = bytes.readUInt16BE(at + 4)
    const nameBytes = 1 + bytes[at + 6]!
    const sizeAt = at + 6 + nameBytes + (nameBytes % 2)
    if (sizeAt + 4 > bytes.length) break
    const size = bytes.readUInt32BE(sizeAt)
    const data = sizeAt + 4
    if (id === iptcResource) return bytes.subarray(data, Math.min(data + size, bytes.length))
    at = data + size + (size % 2)
  }
  return Buffer.alloc(0)
}

/** A record is 0x1c, its group, its number, a length of two bytes, and its value. */
function readRecords(bytes: Buffer) {
  const values = new Map<number, Buffer[]>()
  let isUtf8 = false
  let count = 0
  for (let at = 0; at + 5 <= bytes.length && bytes[at] === 0x1c && count < maxRecords; count++) {
    const [group, number, length] = [bytes[at + 1]!, bytes[at + 2]!, bytes.readUInt16BE(at + 3)]
    // Longer values have a longer length, which no text needs.
    const end = at + 5 + length
    if (length & 0x8000 || end > bytes.length) break
    const value = bytes.subarray(at + 5, end)
    if (group === 1 && number === 90) isUtf8 = value.toString('latin1') === '\x1b%G'
    if (group === 2) values.set(number, [...(values.get(number) ?? []).slice(0, maxKeywords), value])
    at = end
  }
  return { values, isUtf8 }
}

/** Many programs write UTF-8 without saying so; what is not is taken as the western encoding of Windows. */
function decode(value: Buffer, isUtf8: boolean) {
  try {
    return new TextDecoder('utf-8', { fatal: !isUtf8 }).decode(value)
  } catch {
    return new TextDecoder('windows-1252').decode(value)
  }
}
