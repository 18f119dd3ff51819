import { createHash } from 'node:crypto'
import { open, readFile, stat } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { AppError, notFound } from '#platform/errors.ts'
import { errorCode } from './disk.ts'
import { type FileRange, readWithReusedBuffers } from './reused-buffer-stream.ts'
import type { ByteRange, FileFacts, OpenedFile } from './storage.ts'

export async function statFile(path: string): Promise<FileFacts | null> {
  const facts = await unlessMissing(stat(path))
  return facts?.isFile() ? { bytes: facts.size, modifiedAt: facts.mtime } : null
}

export function readWhole(path: string) {
  return unlessMissing(readFile(path))
}

export async function openLocal(
  path: string,
  range?: ByteRange,
  chunkBytes?: FileRange['chunkBytes'],
): Promise<OpenedFile> {
  const handle = await unlessMissing(open(path, 'r'))
  if (!handle) throw notFound('File')
  try {
    const { size } = await handle.stat()
    const { start, end } = range ?? { start: 0, end: size - 1 }
    if (range && start >= size) throw rangeNotSatisfiable(size)
    const bytes = Math.min(end + 1, size) - start
    return { stream: readWithReusedBuffers(handle, { start, bytes, chunkBytes }), bytes }
  } catch (error) {
    await handle.close()
    throw error
  }
}

export function rangeNotSatisfiable(bytes?: number) {
  return new AppError('range-not-satisfiable', 416, 'The file ends before the requested part begins.', { bytes })
}

export async function hashLocal(path: string, signal?: AbortSignal) {
  const hash = createHash('sha256')
  const bytes = await readThrough(path, (chunk) => hash.update(chunk), signal)
  return { sha256: hash.digest('hex'), bytes }
}

/** Also computes the CRC that a ZIP needs, for a sixth more time than the hash alone. */
export async function hashAndCrcLocal(path: string) {
  const hash = createHash('sha256')
  let crc = 0
  const bytes = await readThrough(path, (chunk) => {
    hash.update(chunk)
    crc = crc32(chunk, crc)
  })
  return { sha256: hash.digest('hex'), crc32: crc, bytes }
}

/** Uses one buffer for the whole file: a new buffer per chunk would start a full garbage collection every 30 MB. */
async function readThrough(path: string, use: (chunk: Buffer) => void, signal?: AbortSignal) {
  await using handle = await open(path, 'r')
  const buffer = Buffer.allocUnsafeSlow(256 * 1024)
  let bytes = 0
  for (;;) {
    signal?.throwIfAborted()
    const { bytesRead } = await handle.read(buffer, 0, buffer.length)
    if (bytesRead === 0) return bytes
    use(buffer.subarray(0, bytesRead))
    bytes += bytesRead
  }
}

/** Tells whether the bytes match the hash. A file that is missing or unreadable does not. */
export async function isLocalIntact(path: string, sha256: string, signal?: AbortSignal) {
  try {
    return (await hashLocal(path, signal)).sha256 === sha256
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT' || code === 'EIO') return false
    throw error
  }
}

export async function hashStream(stream: AsyncIterable<Uint8Array>, signal?: AbortSignal) {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of stream) {
    signal?.throwIfAborted()
    hash.update(chunk)
    bytes += chunk.length
  }
  return { sha256: hash.digest('hex'), bytes }
}

export async function unlessMissing<T>(result: Promise<T>) {
  try {
    return await result
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw error
  }
}
