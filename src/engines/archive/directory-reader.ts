import type { FileHandle } from 'node:fs/promises'
import { RandomAccessReader } from 'yauzl'

const blockBytes = 64 * 1024

/**
 * How yauzl reads the directory of an archive. Its own reader asks the disk twice for every entry, and ends the process
 * when an archive names a place beyond 2^53; this one reads in blocks and answers such a place as an early end.
 */
export class DirectoryReader extends RandomAccessReader {
  #handle: FileHandle
  #fileBytes: number
  #block = { bytes: Buffer.alloc(0), position: 0 }

  constructor(handle: FileHandle, fileBytes: number) {
    super()
    this.#handle = handle
    this.#fileBytes = fileBytes
  }

  override read(target: Buffer, offset: number, length: number, position: number, done: (error: Error | null) => void) {
    this.#load(position, length).then((bytes) => {
      bytes.copy(target, offset)
      done(null)
    }, done)
  }

  async #load(position: number, length: number) {
    if (position + length > this.#fileBytes) throw new Error('unexpected end of file')
    const known = position - this.#block.position
    const bytes = this.#block.bytes.subarray(Math.max(known, 0), Math.max(known + length, 0))
    if (known >= 0 && bytes.length === length) return bytes
    const block = await this.#handle.read(Buffer.alloc(Math.max(blockBytes, length)), { position })
    this.#block = { bytes: block.buffer.subarray(0, block.bytesRead), position }
    if (block.bytesRead < length) throw new Error('unexpected end of file')
    return block.buffer.subarray(0, length)
  }
}
