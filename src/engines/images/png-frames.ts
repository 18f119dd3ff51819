import { open } from 'node:fs/promises'

/** Profiles and texts may stand before the pixels; whoever puts more than this there made no film. */
const maxChunks = 1000

/** How many pictures a PNG shows one after another. The decoder reads the first one only, and does not tell of the rest. */
export async function countPngFrames(path: string): Promise<number> {
  const file = await open(path)
  try {
    // Of each chunk its length, its type and the first four bytes of what it holds.
    const chunk = Buffer.alloc(12)
    for (let position = 8, count = 0; count < maxChunks; count++) {
      const { bytesRead } = await file.read(chunk, 0, chunk.length, position)
      const type = chunk.toString('latin1', 4, 8)
      if (bytesRead < chunk.length || type === 'IDAT') return 1
      if (type === 'acTL') return Math.max(1, chunk.readUInt32BE(8))
      position += chunk.length + chunk.readUInt32BE(0)
    }
    return 1
  } finally {
    await file.close()
  }
}
