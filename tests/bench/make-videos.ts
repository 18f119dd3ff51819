import { createHash } from 'node:crypto'
import { appendFile, copyFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clip, createClipMaker } from '#engines/video/testing/clips.ts'

const pieceBytes = 10_000_000

/** One video, encoded once, as many files that differ in a padding box at their end. */
export async function makeVideos(folder: string, count: number, wanted: Partial<Clip>): Promise<string[]> {
  const clips = createClipMaker(folder)
  const video = await clips.make({ index: 'first', ...wanted })
  await clips.close()
  const paths = Array.from({ length: count }, (_, index) => join(folder, `video-${index}.mp4`))
  for (const [index, path] of paths.entries()) {
    await copyFile(video, path)
    await padTo(path, (await stat(video)).size + 64 + index)
  }
  return paths
}

/** Appends a `free` box, which players ignore, so that the file has the given size. */
export async function padTo(path: string, bytes: number) {
  const rest = bytes - (await stat(path)).size
  const header = Buffer.alloc(8)
  header.writeUInt32BE(rest)
  header.write('free', 4)
  await appendFile(path, header)
  let left = rest - header.length
  for (let seed = 1; left > 0; seed++) {
    const piece = createHash('shake256', { outputLength: Math.min(pieceBytes, left) })
      .update(String(seed))
      .digest()
    await appendFile(path, piece)
    left -= piece.length
  }
}
