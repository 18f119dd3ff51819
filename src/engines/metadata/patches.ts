import type { FileHandle } from 'node:fs/promises'

/** Changes to a copy whose length and offsets must stay as they are: players look samples up by position. */
export type Patches = {
  write(position: number, bytes: Uint8Array): Promise<void>
  /** Overwrites with zeros, up to `end` or the end of the file. */
  erase(start: number, end: number): Promise<void>
  cutAt(position: number): Promise<void>
}

const zeros = Buffer.alloc(256 * 1024)

export function createPatches(file: FileHandle, size: number): Patches {
  async function write(position: number, bytes: Uint8Array) {
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done)
      done += bytesWritten
    }
  }
  return {
    write,
    async erase(start, end) {
      const last = Math.min(end, size)
      for (let position = start; position < last; position += zeros.length) {
        await write(position, zeros.subarray(0, Math.min(zeros.length, last - position)))
      }
    },
    cutAt: (position) => file.truncate(position),
  }
}
