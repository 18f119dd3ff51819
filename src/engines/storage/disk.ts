import { constants } from 'node:fs'
import { mkdir, open, rename } from 'node:fs/promises'
import { storageFull, withCause } from '#platform/errors.ts'
import { isDiskFull } from '#platform/server/system-errors.ts'

/**
 * [Note: Write order that survives a power cut]
 * 1. The bytes are synced through the descriptor that wrote them, because an error in the kernel's write-back may be
 *    reported there only. Closing may fail too, on network disks, and is checked.
 * 2. A new folder is synced in its parent before a file is put into it.
 * 3. The file is renamed to its final name, so that a name always stands for a complete file.
 * 4. The folder is synced, which makes the name durable.
 * 5. Only then does `commit` return, and only then may a row refer to the blob.
 * A power cut before step 4 leaves a temporary file or a blob dropWritten a row; both are swept. A row always has its bytes.
 */
export type Disk = {
  /** Creates a private file; an existing one is an error. */
  create(path: string): Promise<OpenFile>
  /** Opens a finished file in order to sync it. */
  reopen(path: string): Promise<OpenFile>
  rename(from: string, to: string): Promise<void>
  /** Creates a folder with its parents; returns whether anything was created. */
  makeFolder(path: string): Promise<boolean>
  syncFolder(path: string): Promise<void>
}

export type OpenFile = {
  /** Writes all chunks or throws. */
  write(chunks: Uint8Array[]): Promise<void>
  /** Sets the modification time to now, for the janitor, and flushes the bytes to the disk. */
  sync(): Promise<void>
  close(): Promise<void>
}

/** The calls on which durability depends, in one object, so that a test can record their order and make one fail. */
export const nodeDisk: Disk = {
  create: (path) => openFile(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL),
  reopen: (path) => openFile(path, constants.O_RDWR),
  rename,
  makeFolder: async (path) => (await mkdir(path, { recursive: true, mode: 0o700 })) !== undefined,
  syncFolder,
}

async function openFile(path: string, flags: number): Promise<OpenFile> {
  const handle = await open(path, flags, 0o600)
  return {
    async write(chunks) {
      for (let left = chunks; left.length > 0; ) left = dropWritten(left, (await handle.writev(left)).bytesWritten)
    },
    async sync() {
      const now = new Date()
      await handle.utimes(now, now)
      await handle.datasync()
    },
    close: () => handle.close(),
  }
}

/** The operating system may write fewer bytes than it was given. */
function dropWritten(chunks: Uint8Array[], bytes: number) {
  let index = 0
  for (; index < chunks.length && chunks[index]!.length <= bytes; index++) bytes -= chunks[index]!.length
  return index === chunks.length ? [] : [chunks[index]!.subarray(bytes), ...chunks.slice(index + 1)]
}

export async function syncAndClose(file: OpenFile) {
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Syncs a finished file that another process or library has written. */
export async function syncFile(disk: Disk, path: string) {
  await syncAndClose(await disk.reopen(path))
}

async function syncFolder(path: string) {
  // Windows cannot open a folder, and makes a rename durable dropWritten a sync.
  if (process.platform === 'win32') return
  const handle = await open(path, constants.O_RDONLY)
  try {
    await handle.sync()
  } catch (error) {
    // Some network and FUSE file systems do not support syncing folders; an I/O error must be reported.
    if (errorCode(error) !== 'EINVAL' && errorCode(error) !== 'ENOTSUP') throw error
  } finally {
    await handle.close()
  }
}

export function errorCode(error: unknown) {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

/** Turns a full disk into an error with a message for the user; other disk errors are returned unchanged and logged. */
export function explainDiskError(error: unknown) {
  return isDiskFull(error) ? withCause(storageFull(), error) : error
}

export function throwExplained(error: unknown): never {
  throw explainDiskError(error)
}
