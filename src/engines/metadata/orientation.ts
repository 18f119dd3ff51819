const orientationTag = 0x0112
const shortType = 3
/** No camera writes more entries. */
const maxEntries = 1_000

/** The orientation, 1 (upright) to 8, from the first directory of an EXIF block; 1 when it cannot be read. */
export function readOrientation(tiff: Buffer): number {
  const order = tiff.toString('latin1', 0, 4)
  if (order !== 'II*\0' && order !== 'MM\0*') return 1
  const isLittle = order.startsWith('II')
  const short = (at: number) => (at + 2 > tiff.length ? 0 : isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
  if (tiff.length < 8) return 1
  const directory = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4)
  const entries = Math.min(short(directory), maxEntries)
  for (let entry = 0; entry < entries; entry++) {
    const at = directory + 2 + entry * 12
    if (short(at) !== orientationTag) continue
    const value = short(at + 8)
    return short(at + 2) === shortType && value >= 1 && value <= 8 ? value : 1
  }
  return 1
}

/** The smallest possible EXIF block: the orientation and nothing else. */
export function writeOrientation(orientation: number): Buffer {
  const tiff = Buffer.alloc(26)
  tiff.write('MM\0*', 0, 'latin1')
  tiff.writeUInt32BE(8, 4)
  tiff.writeUInt16BE(1, 8)
  tiff.writeUInt16BE(orientationTag, 10)
  tiff.writeUInt16BE(shortType, 12)
  tiff.writeUInt32BE(1, 14)
  tiff.writeUInt16BE(orientation, 18)
  return tiff
}
