import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import { z } from 'zod'
import { nodeDisk, syncAndClose, syncFile } from '#engines/storage/disk.ts'
import { unlessMissing } from '#engines/storage/local-files.ts'
import { type Received, receive } from '#engines/storage/receive.ts'
import { notFound, withCause } from '#platform/errors.ts'
import { forEachConcurrently } from '#shared/concurrency.ts'
import { damagedBackup, explainSnapshotFault } from './backup-faults.ts'
import { backupId } from './folder-marker.ts'

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
        log.warn({ err: error }, 'draft of a backup was left behind'),
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
      const target = { disk: nodeDisk, path: pathOf(sha256), keep: ({ file }: Received) => syncAndClose(file) }
      await using arrival = await receive(source, { maxBytes: bytes }, target)
      if (arrival.sha256 !== sha256) return false
      await arrival.keep()
      await makeBlobFolder(sha256)
      staged.add(sha256)
      return true
    },
    place: () => forEachConcurrently(staged, filesAtOnce, (sha256) => placeBlob(sha256, pathOf(sha256))),
  }
}
