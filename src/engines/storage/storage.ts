import type { Readable } from 'node:stream'
import type { SweepLimits } from './temporary-files.ts'

/**
 * Stores the library's files. A blob is named by the sha256 of its bytes, so it never changes and is stored once
 * for all items that refer to it; a derived file is named `<sha256>/<recipe>` and may vanish at any time.
 * No user input ever becomes a path: `keys.ts` checks the key in every call.
 */
export type Storage = {
  /**
   * Streams to a private temporary file on the disk of the blobs, hashing and counting the bytes. Over `maxBytes` it
   * throws too-large; after any error the temporary file is gone. The caller keeps the source: a stream is left
   * where reading stopped, because destroying one part of a multipart body ends the others.
   */
  receive(source: AsyncIterable<Uint8Array>, options: ReceiveOptions): Promise<StagedFile>
  /**
   * Moves a finished local file into the library as a blob, as durably as `commit`. An existing blob is
   * replaced. `known` saves hashing a file that the caller has just read.
   */
  adopt(path: string, known?: Hashed): Promise<Hashed>
  /** Throws not-found when the blob is missing, range-not-satisfiable when the range starts after its end. */
  open(sha256: string, range?: ByteRange): Promise<OpenedFile>
  stat(sha256: string): Promise<FileFacts | null>
  /** Passes a path of the blob's bytes that is valid while `use` runs; the file must not be changed. */
  withLocalFile<T>(sha256: string, use: (path: string) => Promise<T>): Promise<T>
  /**
   * Returns whether a blob was removed. With `unchangedSince` a blob that was committed again after that time stays, so the
   * janitor cannot remove what an upload has just stored again.
   */
  remove(sha256: string, options?: { unchangedSince?: number }): Promise<boolean>
  list(): AsyncIterable<FileFacts & { sha256: string }>
  /** Hashes the bytes again. False when they differ, are missing or unreadable; throws when the storage is unreachable. */
  verify(sha256: string, signal?: AbortSignal): Promise<boolean>
  /** Cheap health check: reachable, and writable where that costs nothing to find out. */
  check(): Promise<void>
  derived: DerivedFiles
  /** Removes temporary files that a crash left; returns their number. */
  sweep(limits: SweepLimits): Promise<number>
  /** An id that must match the database, so that an unmounted disk is not taken for an empty library. */
  marker: { read(): Promise<string | null>; write(id: string): Promise<void> }
  close(): Promise<void>
}

export type Hashed = { sha256: string; bytes: number }

export type ReceiveOptions = {
  maxBytes: number
  /** Called with the length of each chunk before it is written; an error ends `receive`. */
  onBytes?: (bytes: number) => void
  /** Called once with the first bytes (`headBytes`, fewer in a short file); an error ends `receive`. */
  onHead?: (head: Uint8Array) => void | Promise<void>
}

/** A received file that is not part of the library yet. */
export type StagedFile = AsyncDisposable & {
  /** The temporary file, for decoders that read it before `commit`. */
  path: string
  sha256: string
  bytes: number
  /** The first bytes, enough to detect the type. */
  head: Uint8Array
  /** When it resolves, the blob survives a power cut. Existing bytes are not an error. */
  commit(options?: CommitOptions): Promise<void>
  /** Removes the temporary file; does nothing after `commit`. */
  discard(): Promise<void>
}

/** `replaceExisting`: the stored blob may be damaged, so it is written again. */
export type CommitOptions = { replaceExisting?: boolean }

/** Both ends inclusive, as in HTTP. */
export type ByteRange = { start: number; end: number }

/** `bytes` is the length of the stream: of the range, or of the whole file. */
export type OpenedFile = { stream: Readable; bytes: number }

export type FileFacts = { bytes: number; modifiedAt: Date }

/** Thumbnails, renditions, posters: a cache that can always be rebuilt. Keys are `<sha256>/<recipe>`. */
export type DerivedFiles = {
  /** For small files. */
  read(key: string): Promise<Buffer | null>
  open(key: string, range?: ByteRange): Promise<OpenedFile>
  stat(key: string): Promise<FileFacts | null>
  /** Moves the finished file at `sourcePath` here; readers see the old or the new file, never a part. */
  write(key: string, sourcePath: string): Promise<void>
  writeBuffer(key: string, data: Uint8Array): Promise<void>
  withLocalFile<T>(key: string, use: (path: string) => Promise<T>): Promise<T>
  /** Removes everything derived from a blob. */
  remove(sha256: string): Promise<void>
  removeOne(key: string): Promise<void>
  /** Marks a file as used now: `modifiedAt` then tells which files were not used for the longest time. */
  touch(key: string): Promise<void>
  list(): AsyncIterable<FileFacts & { key: string }>
  /** Removes files whose recipe starts with `prefix`, except for `except`. */
  removeRecipes(sha256: string, recipes: { prefix: string; except?: string }): Promise<void>
  /** A new path on the same disk for an encoder; `sweep` removes files that are left there. */
  temporaryPath(extension?: string): string
}

/** Enough for each file signature that `file-type` knows. */
export const headBytes = 4100
