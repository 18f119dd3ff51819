import { createHash } from 'node:crypto'
import { appendFile, copyFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clip, createClipMaker } from '#engines/video/testing/clips.ts'

const pieceBytes = 10_000_000

/** One film, encoded once, in as many files as are wanted; each differs from the others by a box behind its pictures. */
export async function makeFilms(folder: string, count: number, wanted: Partial<Clip>): Promise<string[]> {
  const clips = createClipMaker(folder)
  const film = await clips.make({ index: 'first', ...wanted })
  await clips.close()
  const paths = Array.from({ length: count }, (_, index) => join(folder, `film-${index}.mp4`))
  for (const [index, path] of paths.entries()) {
    await copyFile(film, path)
    await growTo(path, (await stat(film)).size + 64 + index)
  }
  return paths
}

/** A film's file may carry a box of anything behind its pictures; that makes a small one as long as is wanted. */
export async function growTo(path: string, bytes: number) {
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
