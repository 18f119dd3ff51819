import type { Readable } from 'node:stream'
import type { SweepLimits } from './temporary-files.ts'

/**
 * Where the library's bytes rest. A blob is named by the sha256 of its bytes, so it never changes and is stored once
 * however many items point to it; a derived file is named `<sha256>/<recipe>` and may vanish at any time.
 * Nothing that a user typed ever becomes a path: keys are checked by `keys.ts` in every call.
 */
export type Storage = {
  /**
   * Streams to a private temporary file on the disk of the blobs, hashing and counting on the way. Over `maxBytes` it
   * throws too-large; after any failure the temporary file is gone. The source stays the caller's: a stream is left
   * where reading stopped, neither drained nor destroyed, because destroying one part of a multipart body ends the rest.
   */
  receive(source: AsyncIterable<Uint8Array>, options: ReceiveOptions): Promise<Arrival>
  /**
   * A finished local file becomes a blob and leaves its old place; guarantees as `keep`. What is there under its name is
   * replaced. `known`: what its bytes are, from whoever has just read them.
   */
  adopt(path: string, known?: Hashed): Promise<Hashed>
  /** Throws not-found when the blob is missing, range-not-satisfiable when the range begins after its end. */
  open(sha256: string, range?: ByteRange): Promise<OpenedFile>
  stat(sha256: string): Promise<FileFacts | null>
  /** Hands over a path that holds the blob's bytes while `use` runs; the file is to be read only. */
  withLocalFile<T>(sha256: string, use: (path: string) => Promise<T>): Promise<T>
  /**
   * Says whether a blob was removed. With `unchangedForMs` a blob that was kept again meanwhile stays: the janitor
   * cannot take away what an upload has just brought back.
   */
  remove(sha256: string, options?: { unchangedForMs?: number }): Promise<boolean>
  list(): AsyncIterable<FileFacts & { sha256: string }>
  /** Hashes the bytes again. False when they differ, are missing or are lost to the disk; throws when it cannot be reached. */
  verify(sha256: string, signal?: AbortSignal): Promise<boolean>
  /** Cheap, for the health check: reachable, and writable where that can be known without cost. */
  check(): Promise<void>
  derived: DerivedFiles
  /** Removes temporary files that a crash left behind; says how many. */
  sweep(limits: SweepLimits): Promise<number>
  /** An id that must match the database, so that an unmounted disk never passes for an empty library. */
  marker: { read(): Promise<string | null>; write(id: string): Promise<void> }
  close(): Promise<void>
}

export type Hashed = { sha256: string; bytes: number }

export type ReceiveOptions = {
  maxBytes: number
  /** Called with the length of every piece, before it is written; what it throws ends the reception. */
  onBytes?: (bytes: number) => void
  /** Called once with the first bytes (`headBytes`, fewer in a short file); what it throws ends the reception. */
  onHead?: (head: Uint8Array) => void | Promise<void>
}

/** Bytes that have arrived and are not yet part of the library. */
export type Arrival = AsyncDisposable & {
  /** The temporary file, for decoders that look before the bytes are kept. */
  path: string
  sha256: string
  bytes: number
  /** The first bytes, enough to tell the type by. */
  head: Uint8Array
  /** When it returns, the blob survives a power cut. Keeping bytes that are there already is no error. */
  keep(options?: KeepOptions): Promise<void>
  /** Removes the temporary file; after `keep` it does nothing. */
  discard(): Promise<void>
}

/** `isDoubted`: what is there already was found damaged, and is replaced. */
export type KeepOptions = { isDoubted?: boolean }

/** Both ends inclusive, as in HTTP. */
export type ByteRange = { start: number; end: number }

/** `bytes` is what the stream will yield: the range, or the whole file. */
export type OpenedFile = { stream: Readable; bytes: number }

export type FileFacts = { bytes: number; modifiedAt: Date }

/** Thumbnails, renditions, posters: a cache that can always be rebuilt. Keys are `<sha256>/<recipe>`. */
export type DerivedFiles = {
  /** For small files. */
  read(key: string): Promise<Buffer | null>
  open(key: string, range?: ByteRange): Promise<OpenedFile>
  stat(key: string): Promise<FileFacts | null>
  /** Takes a finished file away from `sourcePath`; readers see the old file or the new one, never a part. */
  write(key: string, sourcePath: string): Promise<void>
  writeBuffer(key: string, data: Uint8Array): Promise<void>
  withLocalFile<T>(key: string, use: (path: string) => Promise<T>): Promise<T>
  /** Removes everything derived from a blob. */
  remove(sha256: string): Promise<void>
  /** Removes what was derived by recipes that begin with `prefix`, but for `except`. */
  removeRecipes(sha256: string, recipes: { prefix: string; except?: string }): Promise<void>
  /** A fresh path on the same disk for an encoder to write to; `sweep` removes what is forgotten there. */
  temporaryPath(extension?: string): string
}

/** Enough for every file signature that `file-type` knows. */
export const headBytes = 4100
