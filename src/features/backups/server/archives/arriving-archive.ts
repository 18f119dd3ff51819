import { buffer } from 'node:stream/consumers'
import { type StreamReader, streamEntries, unpacked } from '#engines/archive/read-zip-stream.ts'
import { nameOf } from './checked-blob.ts'
import {
  missingFile,
  type OpenedArchive,
  requireDatabase,
  requireLength,
  requireManifest,
  strangeFiles,
} from './opened-archive.ts'

/** One as we wrote it, read while it is sent; see [Note: Streamed archives]. */
export function openArrivingArchive(bytes: StreamReader): OpenedArchive {
  // What the others hold is proven by their hashes.
  const entries = streamEntries(bytes, (name) => name === 'manifest.json')

  async function nextIf(name: string) {
    const { value } = await entries.next()
    return value?.name === name ? value : undefined
  }

  return {
    async readManifest() {
      const { packed } = requireManifest(await nextIf('manifest.json'), ({ packedBytes }) => packedBytes)
      return buffer(packed)
    },
    async openDatabase() {
      return unpacked(requireDatabase(await nextIf('database.json')))
    },
    async eachFile(files, take) {
      const wanted = new Map(files.map((file) => [nameOf(file), file]))
      let [before, taking] = [Promise.resolve(), Promise.resolve()]
      try {
        for await (const { name, packed, packedBytes } of entries) {
          const file = wanted.get(name)
          if (!file) throw strangeFiles()
          wanted.delete(name)
          requireLength(file, packedBytes)
          before = taking
          const read = Promise.withResolvers<void>()
          taking = take(file, toldWhenRead(packed, read.resolve))
          // The disk brings one to its end while the next one comes.
          await Promise.race([read.promise, taking])
          await before
        }
        await taking
      } finally {
        await Promise.allSettled([before, taking])
      }
      for (const file of wanted.values()) throw missingFile(file)
    },
  }
}

async function* toldWhenRead(bytes: AsyncIterable<Buffer>, tell: () => void) {
  yield* bytes
  tell()
}
