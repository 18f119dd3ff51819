import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { tooLarge } from '#platform/errors.ts'
import { countReleasedBytes } from '#platform/server/memory.ts'
import { type Disk, explainDiskError, type OpenFile } from './disk.ts'
import { type CommitOptions, headBytes, type ReceiveOptions, type StagedFile } from './storage.ts'

/** A temporary file with all the bytes, still open so that the descriptor that wrote them can sync them. */
export type ReceivedFile = { path: string; file: OpenFile; sha256: string; bytes: number }

type ReceiveTarget = {
  disk: Disk
  path: string
  /** Makes the bytes a blob and removes the temporary file; `file` is closed in any case. */
  commit(received: ReceivedFile, options: CommitOptions): Promise<void>
}

export async function receive(
  source: AsyncIterable<Uint8Array>,
  options: ReceiveOptions,
  { disk, path, commit }: ReceiveTarget,
): Promise<StagedFile> {
  let file: OpenFile | undefined
  try {
    file = await disk.create(path)
    const written = await writeAll(source, file, options)
    return createStagedFile({ path, file, ...written }, commit)
  } catch (error) {
    await file?.close().catch(() => {}) // the first error is the one to report
    await rm(path, { force: true })
    throw explainDiskError(error)
  }
}

async function writeAll(source: AsyncIterable<Uint8Array>, file: OpenFile, options: ReceiveOptions) {
  const { maxBytes, onBytes, onHead } = options
  const hash = createHash('sha256')
  const writer = createWriteBehind(file)
  let bytes = 0
  let head = Buffer.alloc(0)
  let isHeadReported = false

  // The caller may skip the rest of a source that is rejected midway, so the source must not be destroyed.
  const chunks = source instanceof Readable ? source.iterator({ destroyOnReturn: false }) : source
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > maxBytes) throw tooLarge('The file is larger than allowed.', { maxBytes })
    onBytes?.(chunk.length)
    if (head.length < headBytes) head = Buffer.concat([head, chunk.subarray(0, headBytes - head.length)])
    if (head.length === headBytes && !isHeadReported) {
      isHeadReported = true
      await onHead?.(head)
    }
    const written = writer.write(chunk)
    hash.update(chunk) // in parallel with the write
    await written
    countReleasedBytes(chunk.length)
  }
  await writer.end()
  if (!isHeadReported) await onHead?.(head)
  return { sha256: hash.digest('hex'), bytes, head }
}

function createStagedFile(
  { head, ...received }: ReceivedFile & { head: Uint8Array },
  commit: ReceiveTarget['commit'],
): StagedFile {
  let outcome: 'committed' | 'discarded' | undefined
  let committing: Promise<void> | undefined

  async function commitOnce(options: CommitOptions) {
    if (outcome) throw new Error('Expected a staged file, received one that was discarded')
    try {
      await commit(received, options)
      outcome = 'committed'
    } catch (error) {
      outcome = 'discarded'
      await rm(received.path, { force: true })
      throw explainDiskError(error)
    }
  }

  async function discard() {
    await committing?.catch(() => {}) // the caller of commit handles the error
    if (outcome) return
    outcome = 'discarded'
    await received.file.close()
    await rm(received.path, { force: true })
  }

  return {
    path: received.path,
    sha256: received.sha256,
    bytes: received.bytes,
    head,
    commit(options = {}) {
      committing ??= commitOnce(options)
      return committing
    },
    discard,
    [Symbol.asyncDispose]: discard,
  }
}

/** Limit of the bytes that wait for the disk; a small chunk counts more than its length, because its buffer takes more memory. */
const maxPendingBytes = 512 * 1024
const minChunkBytes = 16 * 1024

/**
 * Chunks that arrive during a write are collected and written together, because a write costs a round trip to another thread, which
 * takes longer than writing one chunk of an upload. The caller must not change a chunk that it passed.
 */
export function createWriteBehind(file: OpenFile) {
  let pending: Uint8Array[] = []
  let pendingBytes = 0
  let writing: Promise<void> | undefined

  function writeNext() {
    const chunks = pending
    pending = []
    pendingBytes = 0
    writing = file.write(chunks).then(() => {
      writing = undefined
      if (pending.length > 0) writeNext()
    })
    writing.catch(() => {}) // thrown by the next `write` or by `end`
  }

  return {
    /** Resolves when there is room for the next chunk. */
    async write(chunk: Uint8Array) {
      pending.push(chunk)
      pendingBytes += Math.max(chunk.length, minChunkBytes)
      if (!writing) writeNext()
      while (writing && pendingBytes > maxPendingBytes) await writing
    },
    async end() {
      while (writing) await writing
    },
  }
}
