import { type ByteReader, damaged } from './byte-reader.ts'

/**
 * [Note: A scan ends with its last block]
 * Pixel data has no length: decoders skip what lies between the last block and the next marker, so a program can write words
 * there. The only way to find that place is to read all codes, without computing a pixel.
 */
type JpegTables = {
  frame?: Frame
  /** Code lengths and symbols by class and number, as a DHT segment has them. */
  huffman: Map<number, Buffer>
  restartInterval: number
  /** Which coefficients of a progressive picture are not zero so far, by component: 64 bits a block. */
  nonZero: Map<number, Uint32Array>
}

type Component = { id: number; h: number; v: number }
type Frame = { isProgressive: boolean; width: number; height: number; components: Component[] }

const maxBlocksOfMcu = 10
/** More than any picture has that decodes. */
const maxBlocks = 16_000_000
const windowBytes = 64 * 1024
/** The codes of one unit take at most this many bytes. */
const longestMcuBytes = 8 * 1024

export const createJpegTables = (): JpegTables => ({ huffman: new Map(), restartInterval: 0, nonZero: new Map() })

/** Remembers what a segment means for the scans behind it. Its length was checked. */
export function readTable(tables: JpegTables, marker: number, payload: Buffer) {
  if (marker === 0xc4) readHuffman(tables, payload)
  else if (marker === 0xdd) tables.restartInterval = payload.readUInt16BE()
  else if (marker >= 0xc0 && marker <= 0xc2) readFrame(tables, marker, payload)
  // Arithmetic and lossless pictures are too rare for a reader of their own.
  else if (marker > 0xc2 && marker <= 0xcf) throw damaged()
}

function readHuffman({ huffman }: JpegTables, payload: Buffer) {
  for (let at = 0; at < payload.length; ) {
    const symbols = payload.subarray(at + 1, at + 17).reduce((sum, count) => sum + count, 0)
    huffman.set(payload[at]!, payload.subarray(at + 1, at + 17 + symbols))
    at += 17 + symbols
  }
}

function readFrame(tables: JpegTables, marker: number, payload: Buffer) {
  const [height, width] = [payload.readUInt16BE(1), payload.readUInt16BE(3)]
  const components = Array.from({ length: payload[5]! }, (_, index) => {
    const [id, sampling] = payload.subarray(6 + 3 * index)
    return { id: id!, h: sampling! >> 4, v: sampling! & 15 }
  })
  const isValid = components.every(({ h, v }) => h >= 1 && h <= 4 && v >= 1 && v <= 4)
  if (tables.frame || !isValid || !width || !height || components.length === 0) throw damaged()
  tables.frame = { isProgressive: marker === 0xc2, width, height, components }
}

/** Throws unless the scan's codes end where its bytes end. */
export async function checkScan(
  reader: ByteReader,
  tables: JpegTables,
  { header, start, end }: { header: Buffer; start: number; end: number },
) {
  const scan = readScan(tables, header)
  const bits = createBits(reader, start, end)
  let untilRestart = tables.restartInterval
  for (let mcu = 0; mcu < scan.mcus; mcu++) {
    if (bits.isLow()) await bits.refill()
    if (tables.restartInterval > 0 && untilRestart-- === 0) {
      bits.skipRestart()
      scan.restart()
      untilRestart = tables.restartInterval - 1
    }
    scan.readMcu(bits, mcu)
  }
  bits.requireEnd()
}

function readScan({ frame, huffman, nonZero }: JpegTables, header: Buffer) {
  if (!frame) throw damaged()
  const { components, isProgressive, width, height } = frame
  const [spectral, last, approximation] = header.subarray(-3) as unknown as [number, number, number]
  const isRefinement = approximation >> 4 > 0
  const isDc = !isProgressive || spectral === 0
  const isAc = !isProgressive || spectral > 0
  if (isProgressive && (last > 63 || spectral > last || (isDc && last > 0))) throw damaged()
  const parts = Array.from({ length: header[0]! }, (_, index) => {
    const [id, selectors] = header.subarray(1 + 2 * index)
    const component = components.find((candidate) => candidate.id === id)
    if (!component) throw damaged()
    return {
      component,
      blocks: component.h * component.v,
      dc: isDc && !isRefinement ? buildTable(huffman.get(selectors! >> 4)) : none,
      ac: isAc ? buildTable(huffman.get(0x10 | (selectors! & 15))) : none,
    }
  })
  const [hMax, vMax] = [Math.max(...components.map(({ h }) => h)), Math.max(...components.map(({ v }) => v))]
  const isSingle = parts.length === 1
  // A scan of one component has no blocks that only fill up a unit.
  if (isSingle) parts[0]!.blocks = 1
  const { h, v } = isSingle ? parts[0]!.component : { h: 1, v: 1 }
  const mcus = isSingle
    ? Math.ceil(Math.ceil((width * h) / hMax) / 8) * Math.ceil(Math.ceil((height * v) / vMax) / 8)
    : Math.ceil(width / (8 * hMax)) * Math.ceil(height / (8 * vMax))
  const blocks = parts.reduce((sum, part) => sum + part.blocks, 0)
  if (parts.length === 0 || blocks > maxBlocksOfMcu || mcus * blocks > maxBlocks) throw damaged()
  if (isProgressive && isAc && !isSingle) throw damaged()
  const known = isProgressive && isAc ? knownOf(nonZero, parts[0]!.component.id, mcus) : none
  let endOfBandRun = 0

  /** The first time that these coefficients are written. */
  function readBand(bits: Bits, ac: Uint16Array, at: number) {
    if (endOfBandRun > 0) {
      endOfBandRun--
      return
    }
    for (let k = Math.max(1, spectral); k <= last; k++) {
      const code = bits.decode(ac)
      const [zeros, length] = [code >> 4, code & 15]
      if (length === 0 && zeros < 15) {
        endOfBandRun = isProgressive ? (1 << zeros) - 1 + bits.read(zeros) : 0
        return
      }
      k += zeros
      if (length === 0) continue
      if (k > last) throw damaged()
      bits.read(length)
      if (isProgressive) known[at + (k >> 5)]! |= 1 << (k & 31)
    }
  }

  /** Another bit of each coefficient that is not zero, between those that become so now. */
  function refineBand(bits: Bits, ac: Uint16Array, at: number) {
    const isKnown = (k: number) => (known[at + (k >> 5)]! >>> (k & 31)) & 1
    let k = spectral
    for (; endOfBandRun === 0 && k <= last; k++) {
      const code = bits.decode(ac)
      const length = code & 15
      let zeros = code >> 4
      if (length === 0 && zeros < 15) {
        endOfBandRun = (1 << zeros) + bits.read(zeros)
        break
      }
      bits.read(length)
      for (; k <= last; k++) {
        if (isKnown(k)) bits.read(1)
        else if (--zeros < 0) break
      }
      if (length > 0 && k <= last) known[at + (k >> 5)]! |= 1 << (k & 31)
    }
    if (endOfBandRun === 0) return
    for (; k <= last; k++) if (isKnown(k)) bits.read(1)
    endOfBandRun--
  }

  return {
    mcus,
    restart() {
      endOfBandRun = 0
    },
    readMcu(bits: Bits, mcu: number) {
      for (const { blocks, dc, ac } of parts) {
        for (let block = 0; block < blocks; block++) {
          if (isDc) bits.read(isRefinement ? 1 : bits.decode(dc))
          if (!isAc) continue
          if (isRefinement) refineBand(bits, ac, mcu * 2)
          else readBand(bits, ac, mcu * 2)
        }
      }
    },
  }
}

const none = new Uint16Array(0) as Uint16Array & Uint32Array

function knownOf(nonZero: Map<number, Uint32Array>, id: number, blocks: number) {
  const known = nonZero.get(id) ?? new Uint32Array(blocks * 2)
  nonZero.set(id, known)
  return known
}

/** For each 16 bits the length of the code that they begin with, and its symbol. */
function buildTable(lengthsAndSymbols: Buffer | undefined): Uint16Array {
  if (!lengthsAndSymbols) throw damaged()
  const table = new Uint16Array(1 << 16)
  let [code, symbol] = [0, 16]
  for (let length = 1; length <= 16; length++) {
    for (let index = 0; index < lengthsAndSymbols[length - 1]!; index++) {
      const first = code << (16 - length)
      if (first >= table.length) throw damaged()
      table.fill((length << 8) | lengthsAndSymbols[symbol++]!, first, first + (1 << (16 - length)))
      code++
    }
    code <<= 1
  }
  return table
}

type Bits = ReturnType<typeof createBits>

function createBits(reader: ByteReader, start: number, end: number) {
  let window: Buffer = Buffer.alloc(0)
  let windowStart = start
  let at = 0
  let held = 0
  let heldBits = 0
  /** Zeros behind the end, which no code may use up. */
  let inventedBits = 0

  function fill() {
    while (heldBits <= 16) {
      const byte = window[at]
      const isStuffed = byte === 0xff && window[at + 1] === 0
      const isData = byte !== undefined && (byte !== 0xff || isStuffed)
      if (isData) at += isStuffed ? 2 : 1
      else inventedBits += 8
      held = (held << 8) | (isData ? byte : 0)
      heldBits += 8
    }
  }

  function drop(bits: number) {
    heldBits -= bits
    if (heldBits < inventedBits) throw damaged()
  }

  return {
    /** Enough bytes for a unit are read in advance, so that codes are read without waiting. */
    isLow: () => window.length - at < longestMcuBytes && windowStart + window.length < end,
    async refill() {
      windowStart += at
      window = await reader.read(windowStart, Math.min(windowBytes, end - windowStart))
      at = 0
    },
    decode(table: Uint16Array) {
      fill()
      const found = table[(held >>> (heldBits - 16)) & 0xffff]!
      if (found === 0) throw damaged()
      drop(found >> 8)
      return found & 0xff
    },
    read(bits: number) {
      if (bits > 16) throw damaged()
      if (bits === 0) return 0
      fill()
      const value = (held >>> (heldBits - bits)) & ((1 << bits) - 1)
      drop(bits)
      return value
    },
    skipRestart() {
      requireMarkerNext()
      if (window[at] !== 0xff || (window[at + 1]! & 0xf8) !== 0xd0) throw damaged()
      at += 2
      heldBits = 0
      inventedBits = 0
    },
    /** Encoders fill up the last byte, and a few append empty ones. */
    requireEnd() {
      requireMarkerNext()
      if (windowStart + at !== end) throw damaged()
    },
  }

  function requireMarkerNext() {
    fill()
    if (heldBits - inventedBits >= 8) throw damaged()
    while (at < window.length && window[at] === 0xff && window[at + 1] === 0xff) at++
  }
}
