import { constants } from 'node:fs'
import { mkdir, open, rename } from 'node:fs/promises'
import { storageFull, withCause } from '#platform/errors.ts'
import { isDiskFull } from '#platform/server/system-errors.ts'

/**
 * [Note: The order that survives a power cut]
 * 1. The bytes are synced through the descriptor that wrote them: a write that failed late, in the kernel's
 *    write-back, is reported there and perhaps nowhere else. Closing may fail too (network disks), and counts.
 * 2. A new folder is made durable in its parent before anything is put into it.
 * 3. The file is renamed to its final name, so that a name always stands for all of its bytes.
 * 4. The folder is synced: now the name is durable as well.
 * 5. Only then does `keep` return, and only then may a row point to the blob.
 * A cut before 4 leaves a temporary file or a blob without a row; both are swept. No cut leaves a row without bytes.
 */
export type Disk = {
  /** Makes a new private file; an existing one is an error. */
  create(path: string): Promise<OpenFile>
  /** Opens a finished file, to sync it. */
  reopen(path: string): Promise<OpenFile>
  rename(from: string, to: string): Promise<void>
  /** Makes a folder with its parents; says whether anything was made. */
  makeFolder(path: string): Promise<boolean>
  syncFolder(path: string): Promise<void>
}

export type OpenFile = {
  /** Takes all of the pieces or throws. */
  write(pieces: Uint8Array[]): Promise<void>
  /** Marks the file as changed now, for the janitor, and brings its bytes to the disk. */
  sync(): Promise<void>
  close(): Promise<void>
}

/** The calls on which durability rests, in one place: a test can watch their order and let one of them fail. */
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
    async write(pieces) {
      for (let left = pieces; left.length > 0; ) left = without(left, (await handle.writev(left)).bytesWritten)
    },
    async sync() {
      const now = new Date()
      await handle.utimes(now, now)
      await handle.datasync()
    },
    close: () => handle.close(),
  }
}

/** A disk may take fewer bytes than it was given. */
function without(pieces: Uint8Array[], bytes: number) {
  let index = 0
  for (; index < pieces.length && pieces[index]!.length <= bytes; index++) bytes -= pieces[index]!.length
  return index === pieces.length ? [] : [pieces[index]!.subarray(bytes), ...pieces.slice(index + 1)]
}

export async function syncAndClose(file: OpenFile) {
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

/** For a finished file that somebody else has written. */
export async function syncFile(disk: Disk, path: string) {
  await syncAndClose(await disk.reopen(path))
}

async function syncFolder(path: string) {
  // Windows cannot open a folder, and needs no sync to keep a renamed name.
  if (process.platform === 'win32') return
  const handle = await open(path, constants.O_RDONLY)
  try {
    await handle.sync()
  } catch (error) {
    // Some network and FUSE file systems know no sync of folders; an I/O error must be heard.
    if (errorCode(error) !== 'EINVAL' && errorCode(error) !== 'ENOTSUP') throw error
  } finally {
    await handle.close()
  }
}

export function errorCode(error: unknown) {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

/** A full disk is something to tell a person; every other fault of a disk stays what it is and is logged. */
export function explainDiskError(error: unknown) {
  return isDiskFull(error) ? withCause(storageFull(), error) : error
}

export function throwExplained(error: unknown): never {
  throw explainDiskError(error)
}
