import type { ByteReader } from './byte-reader.ts'
import type { Box } from './mp4-boxes.ts'

/** Bytes before the entries and of each entry; the number of entries is the last one before them. */
const tables: Record<string, [before: number, entry: number, inVersion1?: number]> = {
  stts: [8, 8],
  ctts: [8, 8],
  stsc: [8, 12],
  stco: [8, 4],
  co64: [8, 8],
  stss: [8, 4],
  stps: [8, 4],
  elst: [8, 12, 20],
}

/** Bytes of boxes without entries, and of their version 1. */
const fixed: Record<string, [bytes: number, inVersion1?: number]> = {
  mvhd: [100, 112],
  tkhd: [84, 96],
  mdhd: [24, 36],
  vmhd: [12],
  smhd: [8],
  nmhd: [4],
  cslg: [24, 44],
  clef: [12],
  prof: [12],
  enof: [12],
  mehd: [8, 12],
  trex: [24],
  mfhd: [8],
  tfdt: [8, 12],
  pasp: [8],
  clap: [32],
  fiel: [2],
  gama: [4],
  btrt: [12],
  mdcv: [24],
  clli: [4],
  SmDm: [28],
  CoLL: [8],
  dvcC: [24],
  dvvC: [24],
  dvwC: [24],
  st3d: [5],
  svhd: [4],
  prhd: [16],
  equi: [20],
  cbmp: [12],
  frma: [4],
  mp4a: [4],
  enda: [2],
  srat: [8],
  dac3: [3],
  pcmC: [6],
  dfLa: [42],
  alac: [52],
  damr: [9],
}

/** Brands of four letters; no program writes more. */
const maxBrandBytes = 8 + 4 * 24
const trunFlags = { dataOffset: 0x01, firstSampleFlags: 0x04, ofSamples: [0x100, 0x200, 0x400, 0x800] }
const tfhdFields = { 1: 8, 2: 4, 8: 4, 16: 4, 32: 4 }

/**
 * How many bytes of a box's payload mean something. A program can write anything behind them, which players skip. All of them
 * for a box of unknown structure.
 */
export async function usedBytes(reader: ByteReader, { type, payload, end }: Box): Promise<number> {
  const length = end - payload
  const header = await reader.read(payload, Math.min(length, 32))
  const number = (at: number) => (at + 4 <= header.length ? header.readUInt32BE(at) : 0)
  const isVersion1 = header[0] === 1
  const table = tables[type]
  if (table) {
    const [before, entry, inVersion1 = entry] = table
    return before + number(before - 4) * (isVersion1 ? inVersion1 : entry)
  }
  // A version is the first byte of a box that has one, so that boxes without one have one length.
  if (fixed[type]) return (isVersion1 && fixed[type][1]) || fixed[type][0]
  const flags = number(0) & 0xffffff
  const countOf = (wanted: number[]) => wanted.filter((flag) => flags & flag).length
  if (type === 'stsz') return 12 + (number(4) === 0 ? number(8) * 4 : 0)
  if (type === 'stz2') return 12 + Math.ceil((number(8) * (number(4) & 0xff)) / 8)
  if (type === 'trun') {
    const before = 8 + 4 * countOf([trunFlags.dataOffset, trunFlags.firstSampleFlags])
    return before + number(4) * 4 * countOf(trunFlags.ofSamples)
  }
  if (type === 'tfhd') {
    const present = Object.entries(tfhdFields).filter(([flag]) => flags & Number(flag))
    return 8 + present.reduce((sum, [, bytes]) => sum + bytes, 0)
  }
  if (type === 'sidx') return isVersion1 ? 32 + 12 * (number(28) & 0xffff) : 24 + 12 * (number(20) & 0xffff)
  if (type === 'ftyp' || type === 'styp') return maxBrandBytes
  if (type === 'chan') return 16 + number(12) * 20
  if (type === 'esds') return usedByDescriptor(header)
  return length
}

/** A descriptor's length has seven bits in each byte, and all but its last byte have the eighth bit. */
function usedByDescriptor(header: Buffer) {
  let [at, length] = [5, 0]
  for (; at < Math.min(9, header.length); at++) {
    length = length * 128 + (header[at]! & 0x7f)
    if (header[at]! < 0x80) break
  }
  return at + 1 + length
}
