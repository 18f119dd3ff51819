import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'

const blockBytes = 512

type Entry = { path: string; bytes: number; isFile: boolean; isExtension: boolean }

/** Takes the named files out of an npm tarball; nothing else in it is kept, let alone written anywhere. */
export async function readFromTarball(tarball: string, wanted: ReadonlySet<string>): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>()
  await pipeline(createReadStream(tarball), createGunzip(), async (chunks: AsyncIterable<Buffer>) => {
    const reader = createBlockReader(chunks)
    let longPath: string | undefined
    for (;;) {
      const header = await reader.read(blockBytes)
      if (!header || header.every((byte) => byte === 0)) break
      const entry = readHeader(header)
      const path = longPath ?? entry.path
      const isWanted = entry.isFile && wanted.has(path)
      const content = await reader.read(entry.bytes, isWanted || entry.isExtension)
      await reader.read((blockBytes - (entry.bytes % blockBytes)) % blockBytes, false)
      longPath = entry.isExtension && content ? readLongPath(content) : undefined
      if (isWanted && content) found.set(path, content)
    }
    await reader.drain()
  })
  return found
}

function readHeader(header: Buffer): Entry {
  const text = (start: number, end: number) => header.toString('utf8', start, end).split('\0', 1)[0]!
  const prefix = text(345, 500)
  const name = text(0, 100)
  const type = text(156, 157)
  return {
    path: prefix ? `${prefix}/${name}` : name,
    bytes: Number.parseInt(text(124, 136).trim() || '0', 8),
    isFile: type === '0' || type === '',
    isExtension: type === 'x',
  }
}

/** A PAX extension header holds `length key=value` lines; of these only the path of the next entry matters. */
const readLongPath = (content: Buffer) => /^\d+ path=(.*)$/m.exec(content.toString('utf8'))?.[1]

function createBlockReader(chunks: AsyncIterable<Buffer>) {
  const source = chunks[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)

  return {
    /** The next bytes, or null at the end of the stream or when they are only passed over. */
    async read(length: number, isKept = true): Promise<Buffer | null> {
      const parts: Buffer[] = []
      let missing = length
      while (missing > 0) {
        if (rest.length === 0) {
          const next = await source.next()
          if (next.done) return null
          rest = next.value
        }
        const part = rest.subarray(0, missing)
        rest = rest.subarray(part.length)
        missing -= part.length
        if (isKept) parts.push(part)
      }
      return isKept ? Buffer.concat(parts) : null
    },
    async drain() {
      while (!(await source.next()).done) rest = Buffer.alloc(0)
    },
  }
}
