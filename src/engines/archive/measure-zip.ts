import type { ZipSource } from './write-zip.ts'
import { endOfDirectory, recordBytes } from './zip-records.ts'

/** How long the archive of these entries will be: each is stored as it is, or deflated already. */
export async function measureZip(entries: AsyncIterable<Pick<ZipSource, 'name' | 'bytes' | 'packed'>>) {
  const directory = { count: 0, bytes: 0, offset: 0 }
  for await (const { name, bytes, packed } of entries) {
    const { around, inDirectory } = recordBytes({
      nameBytes: Buffer.byteLength(name),
      bytes,
      offset: directory.offset,
    })
    directory.count++
    directory.bytes += inDirectory
    directory.offset += around + (packed?.bytes ?? bytes)
  }
  return directory.offset + directory.bytes + endOfDirectory(directory).length
}
