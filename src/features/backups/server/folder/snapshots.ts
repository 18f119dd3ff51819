import { createHash, randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable, pipeline as startPipeline } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import type { FastifyBaseLogger } from 'fastify'
import { z } from 'zod'
import { nodeDisk, syncAndClose, syncFile } from '#engines/storage/disk.ts'
import { unlessMissing } from '#engines/storage/local-files.ts'
import { type ReceivedFile, receive } from '#engines/storage/receive.ts'
import { notFound, withCause } from '#platform/errors.ts'
import { forEachConcurrently } from '#shared/concurrency.ts'
import type { FileRecord } from '../library/library-document.ts'
import { type Known, readDocument, scanDocument } from '../library/read-document.ts'
import { findFileFault } from '../library/record-faults.ts'
import { damagedBackup, explainSnapshotFault } from './backup-faults.ts'

const backupId = /^[0-9]{8}-[0-9]{6}-[0-9a-f]{8}$/

type SnapshotOptions = {
  drafts: ReturnType<typeof createBackupDrafts>
  blobs: BlobTarget
  /** Throws unless the backup folder is mounted. */
  requirePresence: () => Promise<void>
}

/** Creates, lists, reads and removes the finished backups in `snapshots`. */
export function createBackupSnapshots(root: string, { drafts, blobs, requirePresence }: SnapshotOptions) {
  const snapshots = join(root, 'snapshots')
  const snapshotOf = (id: string) => snapshotIn(join(snapshots, id))

  /** A draft folder that `publish` moves to `snapshots`; otherwise it is removed. */
  async function startSnapshot() {
    const id = freshId()
    const draft = await drafts.makeDraftFolder(id)
    const { stage, place } = createStagedFiles(draft.folder, blobs)
    async function publish(manifest: Manifest) {
      await draft.writeManifest(manifest)
      await syncFile(nodeDisk, draft.documentPath)
      // Blobs are moved last, after all writes that need space, so a full disk keeps nothing of a failed backup.
      await place()
      await nodeDisk.syncFolder(draft.folder)
      await rename(draft.folder, join(snapshots, id))
      await nodeDisk.syncFolder(snapshots)
    }
    return { id, ...draft, stage, publish }
  }

  /**
   * The marker is checked before and after reading, since the disk may be mounted or unmounted meanwhile. With the marker
   * present the listing is complete; a new folder has no `snapshots` yet.
   */
  async function listSnapshotIds() {
    await requirePresence()
    const names = (await unlessMissing(readdir(snapshots))) ?? []
    await requirePresence()
    return names.filter((name) => backupId.test(name)).sort()
  }

  /** The id may come from a URL, so only a valid one becomes a path. */
  async function readManifest(id: string) {
    return backupId.test(id) ? snapshotOf(id).readManifest() : null
  }

  async function loadManifest(id: string) {
    const manifest = await readManifest(id)
    if (manifest) return manifest
    // On an unmounted disk every backup is missing.
    await requirePresence()
    throw notFound('Backup')
  }

  /** Renamed first, so that a half-deleted backup is never listed. */
  async function removeSnapshot(id: string) {
    const path = drafts.temporaryPath()
    await unlessMissing(rename(join(snapshots, id), path))
    await rm(path, { recursive: true, force: true })
  }

  return { snapshotOf, startSnapshot, listSnapshotIds, readManifest, loadManifest, removeSnapshot }
}

const freshId = () => {
  const [day, time] = new Date().toISOString().slice(0, 19).split('T') as [string, string]
  return `${day.replaceAll('-', '')}-${time.replaceAll(':', '')}-${randomBytes(4).toString('hex')}`
}

/** The folder of one backup, finished or draft: its rows and its manifest. */
export function snapshotIn(folder: string) {
  const manifestPath = join(folder, 'manifest.json')
  const provenPath = join(folder, 'proven.txt')

  return {
    folder,
    documentPath: join(folder, 'database.json.gz'),
    async readManifest() {
      const text = await unlessMissing(readFile(manifestPath, 'utf8')).catch((error) => {
        throw explainSnapshotFault('its manifest.json', error)
      })
      if (text === null) return null
      try {
        return Manifest.parse(JSON.parse(text))
      } catch (error) {
        throw withCause(damagedBackup('its manifest.json cannot be understood'), error)
      }
    },
    writeManifest: (manifest: Manifest) => writeDurably(manifestPath, JSON.stringify(manifest, null, 2)),
    async readProven() {
      const text = await unlessMissing(readFile(provenPath, 'utf8'))
      return text !== null && Number.isFinite(Date.parse(text)) ? text : null
    },
    /** Stored in the backup itself, so that it survives a loss of the database. */
    markProven: (provenAt: string) => writeDurably(provenPath, provenAt),
  }
}

async function writeDurably(path: string, text: string) {
  const temporary = `${path}.part`
  await writeFile(temporary, text, { mode: 0o600, flush: true })
  await rename(temporary, path)
  await nodeDisk.syncFolder(dirname(path))
}

export const manifestFormat = 'albumen-backup'

/** The description of a backup, stored in its folder and as the first entry of its ZIP file. */
export const Manifest = z.object({
  format: z.literal(manifestFormat),
  version: z.literal(1),
  id: z.string().max(100),
  type: z.enum(['automatic', 'manual']),
  slot: z.string().max(100).nullable(),
  note: z.string().max(500).nullable(),
  createdAt: z.iso.datetime(),
  app: z.string().max(50),
  schema: z.number().int(),
  users: z.number().int(),
  media: z.number().int(),
  collections: z.number().int(),
  /** Files that the rows refer to, files already missing in the library, and the total size of the others. */
  files: z.number().int(),
  missingFiles: z.number().int(),
  fileBytes: z.number().int(),
  newBytes: z.number().int(),
  database: z.object({ bytes: z.number().int().positive(), sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
  verifiedAt: z.iso.datetime(),
})
export type Manifest = z.infer<typeof Manifest>

/** Drafts and lent files in `tmp`, where the sweep removes abandoned ones. */
export function createBackupDrafts(root: string, log: FastifyBaseLogger) {
  function temporaryPath(name = randomBytes(12).toString('hex')) {
    return join(root, 'tmp', name)
  }

  async function listTemporary() {
    return (await unlessMissing(readdir(join(root, 'tmp')))) ?? []
  }

  /** Renames the entry to a random name, so that exactly one of several concurrent callers gets it. */
  async function takeTemporary(name: string) {
    const folder = temporaryPath()
    const isTaken = (await unlessMissing(rename(temporaryPath(name), folder))) !== null
    return isTaken ? draftIn(folder) : null
  }

  async function makeDraftFolder(name: string) {
    const draft = draftIn(temporaryPath(name))
    await mkdir(draft.folder, { mode: 0o700 })
    return draft
  }

  /** Disposal only logs a failure: the first error is more useful, and the sweep removes the rest. */
  const draftIn = (folder: string) => ({
    ...snapshotIn(folder),
    /** Tells the sweep, which removes drafts untouched for a day, that this draft is in use. */
    touch: () => utimes(folder, new Date(), new Date()),
    [Symbol.asyncDispose]: () =>
      rm(folder, { recursive: true, force: true }).catch((error) =>
        log.warn({ err: error }, 'backup draft was not deleted'),
      ),
  })

  return { temporaryPath, listTemporary, takeTemporary, makeDraftFolder }
}

/** Blobs moved concurrently, since each waits for the disk. */
const filesAtOnce = 4

type BlobTarget = {
  makeBlobFolder: (sha256: string) => Promise<unknown>
  placeBlob: (sha256: string, path: string) => Promise<void>
}

/**
 * Files of an uploaded archive stay in its draft until the upload is complete, so a damaged or aborted one leaves nothing.
 * The blob folders are created meanwhile, because they need space too; the final renames need none.
 */
function createStagedFiles(folder: string, { makeBlobFolder, placeBlob }: BlobTarget) {
  const staged = new Set<string>()
  const pathOf = (sha256: string) => join(folder, sha256)

  return {
    /** Returns false if the bytes do not match the hash. */
    async stage(sha256: string, source: AsyncIterable<Uint8Array>, bytes: number) {
      const target = { disk: nodeDisk, path: pathOf(sha256), commit: ({ file }: ReceivedFile) => syncAndClose(file) }
      await using arrival = await receive(source, { maxBytes: bytes }, target)
      if (arrival.sha256 !== sha256) return false
      await arrival.commit()
      await makeBlobFolder(sha256)
      staged.add(sha256)
      return true
    },
    place: () => forEachConcurrently(staged, filesAtOnce, (sha256) => placeBlob(sha256, pathOf(sha256))),
  }
}

type Measured = { bytes: number; sha256: string }

/**
 * Compresses text into a file and returns the size and hash of the uncompressed text. Errors of the file, but not those of
 * the source, go through `throwExplained`.
 */
export async function packTo(
  path: string,
  chunks: AsyncIterable<Uint8Array | string>,
  throwExplained: (error: unknown) => Promise<never>,
): Promise<Measured> {
  const hash = createHash('sha256')
  let bytes = 0
  let isSourceAtFault = false
  async function* measured() {
    let isWaiting = true
    try {
      for await (const chunk of chunks) {
        const buffer = Buffer.from(chunk)
        hash.update(buffer)
        bytes += buffer.length
        isWaiting = false
        yield buffer
        isWaiting = true
      }
    } catch (error) {
      // An error of the file is also thrown into this generator, but at its `yield`.
      isSourceAtFault = isWaiting
      throw error
    }
  }
  const file = createWriteStream(path, { mode: 0o600 })
  await pipeline(Readable.from(measured()), createGzip({ level: 6 }), file).catch((error) => {
    if (isSourceAtFault) throw error
    return throwExplained(error)
  })
  return { bytes, sha256: hash.digest('hex') }
}

/** Errors of the file or of its compression end the stream with a readable message. */
export function openPacked(path: string): Readable {
  // The reader gets errors from the stream itself.
  const unpacked: Readable = startPipeline(createReadStream(path), createGunzip(), () => {})
  const rows = Readable.from(withExplainedErrors(unpacked), { objectMode: false })
  return rows.once('close', () => unpacked.destroy())
}

async function* withExplainedErrors(unpacked: Readable) {
  try {
    yield* unpacked
  } catch (error) {
    throw explainSnapshotFault('its rows', error)
  }
}

/** The deflate data of a verified document: gzip adds a header, and a trailer with CRC-32 and length (RFC 1952). */
export async function findDeflated(path: string) {
  const [headerBytes, trailerBytes] = [10, 8]
  await using handle = await open(path)
  const { size } = await handle.stat()
  const trailer = Buffer.alloc(trailerBytes)
  await handle.read(trailer, 0, trailerBytes, size - trailerBytes)
  const end = size - trailerBytes
  return {
    bytes: end - headerBytes,
    crc32: trailer.readUInt32LE(0),
    open: () =>
      Readable.from(withExplainedErrors(createReadStream(path, { start: headerBytes, end: end - 1 })), {
        objectMode: false,
      }),
  }
}

/** Yields the document's text and, at its end, compares size and hash with the manifest. */
export async function* unpackChecked(path: string, expected: Measured): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of openPacked(path) as AsyncIterable<Buffer>) {
    hash.update(chunk)
    bytes += chunk.length
    yield chunk
  }
  if (bytes !== expected.bytes || hash.digest('hex') !== expected.sha256) {
    throw damagedBackup('its rows differ from the ones that were written')
  }
}

/** The document's records, each validated by itself. */
export const readPacked = (path: string, expected: Measured, known: Known) =>
  readDocument(unpackChecked(path, expected), known)

/** The files that a backup contains. */
export async function* listFiles(documentPath: string): AsyncGenerator<FileRecord> {
  for await (const file of listNamedFiles(documentPath)) if (!file.isMissing) yield file
}

/** All files listed at the start of a backup's document, including those that were missing when it was made. */
export async function* listNamedFiles(documentPath: string): AsyncGenerator<FileRecord, undefined> {
  const stream = openPacked(documentPath)
  try {
    for await (const { table, value } of scanDocument(stream)) {
      if (table === null) continue
      if (table !== 'files') return
      if (findFileFault(value)) throw damagedBackup('its list of files cannot be read')
      yield value as FileRecord
    }
  } finally {
    stream.destroy()
  }
}
