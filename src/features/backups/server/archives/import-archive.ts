import { statfs } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { openZip, type ZipReader } from '#engines/archive/read-zip.ts'
import { foreignEntry, type ZipEntry } from '#engines/archive/zip-checks.ts'
import { AppError } from '#platform/errors.ts'
import { forEachAtOnce } from '#shared/for-each-at-once.ts'
import type { BackupServices } from '../backup-services.ts'
import type { BackupFolder } from '../folder/backup-folder.ts'
import { packTo, readPacked } from '../folder/document-file.ts'
import { Manifest } from '../folder/manifest.ts'
import { checkDocument, loadKnown } from '../library/read-document.ts'
import type { FileRecord } from '../library/write-document.ts'
import { insertBackup } from '../store.ts'

/** All of it may lie in a folder, as it does when somebody has unpacked it and packed it again. */
const allowedName = /^(?:[^./\\][^/\\]*\/)?(?:manifest\.json|database\.json|files\/[0-9a-f]{64})$/
const maxManifestBytes = 64 * 1024
const maxEntries = 10_000_000
/** While one waits for the disk, another is read. */
const filesAtOnce = 4

const refused = (sentence: string) => new AppError('bad-archive', 400, sentence)

type Services = Pick<BackupServices, 'db' | 'backupFolder' | 'log'>

/**
 * Makes a backup of our own from an uploaded archive: nothing of the library is touched, and unless everything in the
 * archive is what it says, nothing is kept.
 */
export async function importArchive(services: Services, path: string): Promise<Manifest> {
  const { db, backupFolder, log } = services
  await using zip = await openZip(path, { allowedName, maxEntries, maxBytes: await freeBytes(backupFolder) })
  const entries = byOwnName(zip.entries)
  const given = await readManifest(zip, entries.get('manifest.json'))
  const document = entries.get('database.json')
  if (!document) throw refused('The ZIP file is not a backup of Albumen: it has no database.json.')

  await using draft = await backupFolder.startSnapshot()
  const packed = await packTo(draft.documentPath, await zip.read(document), backupFolder.throwExplained)
  if (packed.sha256 !== given.database.sha256) {
    throw refused('The ZIP file is damaged: its database.json is not the one that its manifest names.')
  }
  const files: FileRecord[] = []
  const records = readPacked(draft.documentPath, packed, await loadKnown(db))
  const counts = await checkDocument(records, (file) => files.push(file))
  if (counts.users !== given.users || counts.media !== given.media || counts.collections !== given.collections) {
    throw refused('The ZIP file is damaged: its manifest counts other rows than its database.json holds.')
  }
  const held = files.filter(({ isMissing }) => !isMissing)
  requireSameFiles(held, entries)
  const taken: FileRecord[] = []
  await forEachAtOnce(held, filesAtOnce, async (file) => {
    const isTaken = await takeFile(backupFolder, zip, entries.get(`files/${file.sha256}`)!, file)
    if (isTaken) taken.push(file)
  })

  const manifest: Manifest = {
    ...given,
    id: draft.id,
    type: 'manual',
    slot: null,
    note: 'Uploaded',
    // As they were found, whatever was said of them.
    files: files.length,
    missingFiles: files.length - held.length,
    fileBytes: bytesOf(held),
    newBytes: bytesOf(taken) + packed.bytes,
    database: packed,
    verifiedAt: new Date().toISOString(),
  }
  await draft.publish(manifest)
  await insertBackup(db, manifest)
  log.info({ backup: draft.id, files: held.length }, 'backup uploaded')
  return manifest
}

function byOwnName(entries: ZipEntry[]) {
  const manifest = entries.find(({ name }) => /^(?:[^/]+\/)?manifest\.json$/.test(name))?.name ?? ''
  const folder = manifest.slice(0, manifest.lastIndexOf('/') + 1)
  const named = new Map<string, ZipEntry>()
  for (const entry of entries) {
    if (!entry.name.startsWith(folder)) throw foreignEntry(entry.name)
    named.set(entry.name.slice(folder.length), entry)
  }
  return named
}

async function freeBytes({ root }: BackupFolder) {
  const { bavail, bsize } = await statfs(root)
  return bavail * bsize
}

async function readManifest(zip: ZipReader, entry: ZipEntry | undefined) {
  if (!entry) throw refused('The ZIP file is not a backup of Albumen: it has no manifest.json.')
  if (entry.bytes > maxManifestBytes) throw refused('The ZIP file is refused: its manifest.json is too long.')
  const text = await buffer(await zip.read(entry))
  try {
    return Manifest.parse(JSON.parse(text.toString('utf8')))
  } catch {
    throw refused('The ZIP file is not a backup of Albumen: its manifest.json cannot be understood.')
  }
}

/** What the rows need is there, as long as they say, and nothing else. */
function requireSameFiles(files: FileRecord[], entries: Map<string, ZipEntry>) {
  for (const { sha256, bytes } of files) {
    const entry = entries.get(`files/${sha256}`)
    if (!entry) throw refused(`The ZIP file is incomplete: files/${sha256} is missing.`)
    if (entry.bytes !== bytes) throw refused(`The ZIP file is damaged: files/${sha256} has the wrong size.`)
  }
  if (entries.size !== files.length + 2) throw refused('The ZIP file contains files that its rows do not know.')
}

const bytesOf = (files: FileRecord[]) => files.reduce((sum, { bytes }) => sum + bytes, 0)

/** Says whether it was taken out of the archive: what the folder has is read instead. */
async function takeFile(folder: BackupFolder, zip: ZipReader, entry: ZipEntry, { sha256, bytes }: FileRecord) {
  if ((await folder.refreshBlob(sha256, bytes)) && (await folder.isBlobWhole(sha256))) return false
  const source = await zip.read(entry)
  try {
    if (await folder.receiveBlob(sha256, source.lend(), bytes)) return true
  } finally {
    source.destroy()
  }
  throw refused(`The ZIP file is damaged: files/${sha256} holds other bytes than its name says.`)
}
