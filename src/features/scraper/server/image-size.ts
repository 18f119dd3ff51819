export type PixelSize = { width: number; height: number }

/** An image's dimensions from its first bytes; undefined when they do not contain them. No pixel is decoded. */
export function readImageSize(bytes: Buffer): PixelSize | undefined {
  try {
    return readPng(bytes) ?? readGif(bytes) ?? readWebp(bytes) ?? readJpeg(bytes)
  } catch (error) {
    // The header continues beyond the bytes that were fetched.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function readPng(bytes: Buffer): PixelSize | undefined {
  if (bytes.toString('latin1', 0, 8) !== '\x89PNG\r\n\x1a\n') return undefined
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

function readGif(bytes: Buffer): PixelSize | undefined {
  if (!/^GIF8[79]a/.test(bytes.toString('latin1', 0, 6))) return undefined
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
}

function readWebp(bytes: Buffer): PixelSize | undefined {
  if (bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WEBP') return undefined
  const chunk = bytes.toString('latin1', 12, 16)
  if (chunk === 'VP8 ') return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
  if (chunk === 'VP8X') return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
  if (chunk !== 'VP8L') return undefined
  const bits = bytes.readUInt32LE(21)
  return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 }
}

/** Walks from marker to marker until the frame header, which has the dimensions. */
function readJpeg(bytes: Buffer): PixelSize | undefined {
  if (bytes.readUInt16BE(0) !== 0xffd8) return undefined
  let position = 2
  while (bytes.readUInt8(position) === 0xff) {
    const marker = bytes.readUInt8(position + 1)
    if (isFrameHeader(marker))
      return { width: bytes.readUInt16BE(position + 7), height: bytes.readUInt16BE(position + 5) }
    const isPadding = marker === 0xff
    position += isPadding ? 1 : 2 + bytes.readUInt16BE(position + 2)
  }
  return undefined
}

function isFrameHeader(marker: number): boolean {
  // Three markers in the range are no frame headers: Huffman tables, an extension, arithmetic coding.
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
}
