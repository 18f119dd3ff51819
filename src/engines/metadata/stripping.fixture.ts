import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeWithoutMetadata } from './write-without-metadata.ts'

/** Marks every private value in a test file. */
export const secret = 'SECRET-PLACE'

/** A folder for one test in which metadata is removed from files. */
export async function openWorkspace() {
  const folder = await mkdtemp(join(tmpdir(), 'metadata-'))
  let count = 0
  return {
    folder,
    async strip(mimeType: string, bytes: Uint8Array): Promise<Buffer> {
      const [inputPath, outputPath] = [join(folder, `${count}-in`), join(folder, `${count++}-out`)]
      await writeFile(inputPath, bytes)
      await writeWithoutMetadata({ mimeType, inputPath, outputPath })
      return readFile(outputPath)
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

export function jpegSegment(marker: number, payload: string | Uint8Array): Buffer {
  const body = Buffer.from(payload as string, 'latin1')
  const header = Buffer.of(0xff, marker, 0, 0)
  header.writeUInt16BE(body.length + 2, 2)
  return Buffer.concat([header, body])
}

export function riffChunk(type: string, ...parts: Uint8Array[]): Buffer {
  const body = Buffer.concat(parts)
  const header = Buffer.alloc(8)
  header.write(type, 'latin1')
  header.writeUInt32LE(body.length, 4)
  return Buffer.concat([header, body, Buffer.alloc(body.length % 2)])
}

/** An MP4 box; numbers are 32-bit, strings one byte a letter. */
export function box(type: string, ...parts: (Uint8Array | string | number)[]): Buffer {
  const body = Buffer.concat(parts.map(toBytes))
  return Buffer.concat([toBytes(body.length + 8), Buffer.from(type, 'latin1'), body])
}

function toBytes(part: Uint8Array | string | number): Uint8Array {
  if (typeof part === 'string') return Buffer.from(part, 'latin1')
  if (typeof part !== 'number') return part
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(part)
  return bytes
}
