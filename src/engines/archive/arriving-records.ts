import {
  comingFieldBytes,
  comingId,
  descriptorBytes,
  descriptorSignature,
  flags,
  localHeaderBytes,
  localSignature,
  type Sums,
  versionZip64,
} from './zip-records.ts'

/** What `localHeader` writes before name and fields, read again; null for anything else. */
export function readLocalHeader(header: Buffer) {
  if (header.length < localHeaderBytes || header.readUInt32LE(0) !== localSignature) return null
  const method = header.readUInt16LE(8)
  if (header.readUInt16LE(6) !== flags || (method !== 0 && method !== 8)) return null
  return {
    isDeflated: method === 8,
    isZip64: header.readUInt16LE(4) === versionZip64,
    nameBytes: header.readUInt16LE(26),
    fieldsBytes: header.readUInt16LE(28),
  }
}

/** How many bytes follow, where a header's fields say so. */
export function readComingBytes(fields: Buffer): number | null {
  for (let at = 0; at + 4 <= fields.length; at += 4 + fields.readUInt16LE(at + 2)) {
    if (fields.readUInt16LE(at) !== comingId) continue
    return at + comingFieldBytes <= fields.length ? Number(fields.readBigUInt64LE(at + 4)) : null
  }
  return null
}

export function readDescriptor(descriptor: Buffer): Sums | null {
  if (descriptor.readUInt32LE(0) !== descriptorSignature) return null
  const crc32 = descriptor.readUInt32LE(4)
  if (descriptor.length !== descriptorBytes(true)) {
    return { crc32, compressedBytes: descriptor.readUInt32LE(8), bytes: descriptor.readUInt32LE(12) }
  }
  const [compressedBytes, bytes] = [8, 16].map((at) => Number(descriptor.readBigUInt64LE(at))) as [number, number]
  return { crc32, compressedBytes, bytes }
}
