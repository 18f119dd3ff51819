/** The records of a ZIP file, byte by byte, after PKWARE's APPNOTE 6.3.10; each function names its section. */
type ZipRecord = {
  name: Buffer
  isDeflated: boolean
  modifiedAt: Date
  crc32: number
  bytes: number
  compressedBytes: number
  /** Position of the entry's local header. */
  offset: number
}

export const localSignature = 0x04034b50
export const localHeaderBytes = 30
export const directorySignature = 0x02014b50

const max16 = 0xffff
const max32 = 0xffffffff
const versionPlain = 20
export const versionZip64 = 45
/** Names are UTF-8 (bit 11); checksum and sizes follow the data (bit 3), since they are unknown before. */
export const flags = (1 << 11) | (1 << 3)
export const descriptorSignature = 0x08074b50
const madeByUnix = (3 << 8) | 63
const regularFile = 0o100644

/** Deflate can enlarge bytes a little, so entries near 4 GiB use ZIP64 early. */
function needsZip64(bytes: number) {
  return bytes >= max32 - 16 * 1024 * 1024
}

/**
 * 4.3.7. The ZIP64 field announces that the sizes after the data have eight bytes each. `followingBytes` is the length of the
 * data, when known; see [Note: Streamed archives].
 */
export function localHeader({
  name,
  isDeflated,
  modifiedAt,
  bytes,
  followingBytes,
}: Pick<ZipRecord, 'name' | 'isDeflated' | 'modifiedAt' | 'bytes'> & { followingBytes?: number }) {
  const isZip64 = needsZip64(bytes)
  const fields = isZip64 ? [field(zip64Id, [0, 0])] : []
  if (followingBytes !== undefined) fields.push(field(lengthFieldId, [followingBytes]))
  const extra = Buffer.concat(fields)
  const header = Buffer.alloc(localHeaderBytes)
  header.writeUInt32LE(localSignature, 0)
  header.writeUInt16LE(isZip64 ? versionZip64 : versionPlain, 4)
  header.writeUInt16LE(flags, 6)
  header.writeUInt16LE(isDeflated ? 8 : 0, 8)
  header.writeUInt32LE(dosTime(modifiedAt), 10)
  header.writeUInt32LE(isZip64 ? max32 : 0, 18)
  header.writeUInt32LE(isZip64 ? max32 : 0, 22)
  header.writeUInt16LE(name.length, 26)
  header.writeUInt16LE(extra.length, 28)
  return Buffer.concat([header, name, extra])
}

/** 4.3.9 */
export function dataDescriptor({ crc32, bytes, compressedBytes }: Sums) {
  const isZip64 = needsZip64(bytes)
  const descriptor = Buffer.alloc(descriptorBytes(isZip64))
  descriptor.writeUInt32LE(descriptorSignature, 0)
  descriptor.writeUInt32LE(crc32, 4)
  if (isZip64) {
    descriptor.writeBigUInt64LE(BigInt(compressedBytes), 8)
    descriptor.writeBigUInt64LE(BigInt(bytes), 16)
  } else {
    descriptor.writeUInt32LE(compressedBytes, 8)
    descriptor.writeUInt32LE(bytes, 12)
  }
  return descriptor
}

export const descriptorBytes = (isZip64: boolean) => (isZip64 ? 24 : 16)

export type Sums = Pick<ZipRecord, 'crc32' | 'bytes' | 'compressedBytes'>

/** 4.3.12 */
export function centralRecord({ name, isDeflated, modifiedAt, crc32, bytes, compressedBytes, offset }: ZipRecord) {
  const isZip64 = needsZip64(bytes) || offset >= max32
  const extra = isZip64 ? field(zip64Id, [bytes, compressedBytes, offset]) : Buffer.alloc(0)
  const record = Buffer.alloc(46)
  record.writeUInt32LE(directorySignature, 0)
  record.writeUInt16LE(madeByUnix, 4)
  record.writeUInt16LE(isZip64 ? versionZip64 : versionPlain, 6)
  record.writeUInt16LE(flags, 8)
  record.writeUInt16LE(isDeflated ? 8 : 0, 10)
  record.writeUInt32LE(dosTime(modifiedAt), 12)
  record.writeUInt32LE(crc32, 16)
  record.writeUInt32LE(isZip64 ? max32 : compressedBytes, 20)
  record.writeUInt32LE(isZip64 ? max32 : bytes, 24)
  record.writeUInt16LE(name.length, 28)
  record.writeUInt16LE(extra.length, 30)
  record.writeUInt32LE(regularFile * 0x10000, 38)
  record.writeUInt32LE(isZip64 ? max32 : offset, 42)
  return Buffer.concat([record, name, extra])
}

type Directory = { count: number; bytes: number; offset: number }

/** 4.3.14 to 4.3.16: the end of the directory, with the ZIP64 records when any number needs them. */
export function endOfDirectory({ count, bytes, offset }: Directory) {
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(Math.min(count, max16), 8)
  end.writeUInt16LE(Math.min(count, max16), 10)
  end.writeUInt32LE(Math.min(bytes, max32), 12)
  end.writeUInt32LE(Math.min(offset, max32), 16)
  if (count < max16 && bytes < max32 && offset < max32) return end

  const large = Buffer.alloc(56)
  large.writeUInt32LE(0x06064b50, 0)
  large.writeBigUInt64LE(44n, 4)
  large.writeUInt16LE(madeByUnix, 12)
  large.writeUInt16LE(versionZip64, 14)
  large.writeBigUInt64LE(BigInt(count), 24)
  large.writeBigUInt64LE(BigInt(count), 32)
  large.writeBigUInt64LE(BigInt(bytes), 40)
  large.writeBigUInt64LE(BigInt(offset), 48)

  const locator = Buffer.alloc(20)
  locator.writeUInt32LE(0x07064b50, 0)
  locator.writeBigUInt64LE(BigInt(offset + bytes), 8)
  locator.writeUInt32LE(1, 16)
  return Buffer.concat([large, locator, end])
}

/** The lengths of the records that an entry adds, around its data and in the directory. */
export function recordBytes({ nameBytes, bytes, offset }: { nameBytes: number; bytes: number; offset: number }) {
  const isZip64 = needsZip64(bytes)
  return {
    around: localHeaderBytes + nameBytes + lengthFieldBytes + (isZip64 ? 20 : 0) + descriptorBytes(isZip64),
    inDirectory: 46 + nameBytes + (isZip64 || offset >= max32 ? 28 : 0),
  }
}

/** 4.5.3 */
const zip64Id = 0x0001
/** "AL" is a field that no vendor has registered; other programs ignore it (4.5.1). */
export const lengthFieldId = 0x4c41
export const lengthFieldBytes = 4 + 8

function field(id: number, values: number[]) {
  const bytes = Buffer.alloc(4 + 8 * values.length)
  bytes.writeUInt16LE(id, 0)
  bytes.writeUInt16LE(8 * values.length, 2)
  for (const [index, value] of values.entries()) bytes.writeBigUInt64LE(BigInt(value), 4 + 8 * index)
  return bytes
}

/** 4.4.6: date and time in 32 bits, with a resolution of two seconds, between 1980 and 2107, without a time zone. */
function dosTime(time: Date) {
  const year = Math.min(Math.max(time.getUTCFullYear(), 1980), 2107)
  const date = ((year - 1980) << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate()
  const clock = (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1)
  return date * 0x10000 + clock
}
