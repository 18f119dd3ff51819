import { readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { nodeDisk } from '#engines/storage/disk.ts'
import { unlessMissing } from '#engines/storage/local-files.ts'
import { withCause } from '#platform/errors.ts'
import { damagedBackup, explainSnapshotFault } from './backup-faults.ts'
import { Manifest } from './manifest.ts'

/** The folder of one backup, finished or in the making: its rows, and what it says about itself. */
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
    /** A word beside the backup itself, so that it is still known when the database is lost. */
    markProven: (provenAt: string) => writeDurably(provenPath, provenAt),
  }
}

async function writeDurably(path: string, text: string) {
  const temporary = `${path}.part`
  await writeFile(temporary, text, { mode: 0o600, flush: true })
  await rename(temporary, path)
  await nodeDisk.syncFolder(dirname(path))
}
