import { crc32, deflateSync } from 'node:zlib'

const edge = 96

/** A red square as PNG: small, and a model that sees at all can name its colour. */
export function redSquare(): Buffer {
  const row = Buffer.concat([Buffer.of(0), Buffer.alloc(edge * 3, Buffer.of(220, 20, 20))])
  const header = Buffer.alloc(13)
  header.writeUInt32BE(edge, 0)
  header.writeUInt32BE(edge, 4)
  // Eight bits a channel, three channels; compression, filter and interlace are the defaults.
  header.set([8, 2, 0, 0, 0], 8)
  const signature = Buffer.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)
  const pixels = deflateSync(Buffer.concat(Array.from({ length: edge }, () => row)))
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, checksum])
}
