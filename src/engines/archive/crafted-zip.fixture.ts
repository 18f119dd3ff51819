import { crc32, deflateRawSync } from 'node:zlib'

export type Crafted = {
  name: string
  data?: Buffer
  method?: number
  /** These differ from the data when the test crafts a dishonest header. */
  bytes?: number
  compressedBytes?: number
  crc?: number
  attributes?: number
  flags?: number
  offset?: number
  extra?: Buffer
}

export const u16 = (value: number) => [value & 0xff, (value >>> 8) & 0xff]
export const u32 = (value: number) => [...u16(value), ...u16(value >>> 16)]
export const u64 = (value: bigint) => [...u32(Number(value & 0xffffffffn)), ...u32(Number(value >> 32n))]

/** An archive built byte by byte, with any false values that the test needs. */
export function craft(entries: Crafted[], { count = entries.length, beforeEnd = [] as number[] } = {}) {
  const files: Buffer[] = []
  const records: Buffer[] = []
  let position = 0
  for (const { name, data = Buffer.from('x'), method = 0, attributes = 0, flags = 1 << 11, ...lies } of entries) {
    const packed = method === 8 ? deflateRawSync(data) : data
    const sizes = [
      ...u32(lies.crc ?? crc32(data)),
      ...u32(lies.compressedBytes ?? packed.length),
      ...u32(lies.bytes ?? data.length),
    ]
    const nameBytes = Buffer.from(name)
    const extra = lies.extra ?? Buffer.alloc(0)
    const common = [...u16(20), ...u16(flags), ...u16(method), ...u32(0), ...sizes, ...u16(nameBytes.length)]
    const local = Buffer.from([...u32(0x04034b50), ...common, ...u16(0)])
    const attributesAndOffset = [...u32(attributes), ...u32(lies.offset ?? position)]
    const record = [
      ...u32(0x02014b50),
      ...u16(0x033f),
      ...common,
      ...u16(extra.length),
      ...u16(0),
      ...u16(0),
      ...u16(0),
    ]
    files.push(local, nameBytes, packed)
    records.push(Buffer.from([...record, ...attributesAndOffset]), nameBytes, extra)
    position += local.length + nameBytes.length + packed.length
  }
  const directory = Buffer.concat(records)
  const end = [
    ...u32(0x06054b50),
    ...u32(0),
    ...u16(count),
    ...u16(count),
    ...u32(directory.length),
    ...u32(position),
    ...u16(0),
  ]
  return Buffer.concat([...files, directory, Buffer.from([...beforeEnd, ...end])])
}
