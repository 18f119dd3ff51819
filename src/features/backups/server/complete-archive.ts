import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { unlessMissing } from '#engines/storage/local-files.ts'
import { makeDraft, type Snapshot, zipOf } from './archive.ts'
import { type BackupServices, type Draft, fillSnapshot } from './create-backup.ts'
import { Manifest } from './manifest.ts'

/** Far longer than a browser takes to follow a link. */
const keptMs = 60_000

/**
 * [Note: A download is prepared before it begins]
 * A browser that saves a file does not tell the page what went wrong. So the page has the archive of the whole library
 * prepared, hears of any fault, and lets the browser fetch what lies ready: once, and only for whoever had it made. It lies
 * in the backup folder under their number and the time until which it may be fetched, since the browser may be answered by
 * another process.
 */
export function createCompleteArchives(services: BackupServices) {
  const { backupFolder, log } = services
  const temporary = join(backupFolder.root, 'tmp')
  const own = new Map<string, NodeJS.Timeout>()

  const make = () =>
    makeDraft(services, async (draft) => {
      const manifest = await fillSnapshot(services, draft, { type: 'manual' })
      await writeFile(manifestPath(draft), JSON.stringify(manifest)).catch(backupFolder.throwExplained)
      return manifest
    })

  async function discard(folder: string) {
    await rm(folder, { recursive: true, force: true }).catch((error) =>
      log.warn({ err: error }, 'draft of a backup was left behind'),
    )
  }

  async function expire(folder: string) {
    clearTimeout(own.get(folder))
    own.delete(folder)
    await discard(folder)
  }

  /** Of several who reach for it at the same moment one has it. */
  async function take(userId: number): Promise<Snapshot | undefined> {
    const names = (await unlessMissing(readdir(temporary))) ?? []
    for (const name of names.filter((each) => each.startsWith(prefixOf(userId)))) {
      const folder = backupFolder.temporaryPath()
      if ((await unlessMissing(rename(join(temporary, name), folder))) === null) continue
      if (Number(name.split('-')[2]) > Date.now()) return open(folder)
      // Its process ended before its time did.
      await discard(folder)
    }
  }

  async function open(folder: string): Promise<Snapshot> {
    const documentPath = join(folder, 'database.json.gz')
    const manifest = Manifest.parse(JSON.parse(await readFile(manifestPath({ documentPath }), 'utf8')))
    return { manifest, documentPath, discard: () => discard(folder) }
  }

  return {
    async prepare(userId: number) {
      const snapshot = await make()
      await (await take(userId))?.discard?.()
      const folder = join(temporary, `${prefixOf(userId)}${Date.now() + keptMs}-${snapshot.manifest.id}`)
      await rename(dirname(snapshot.documentPath), folder)
      own.set(folder, setTimeout(() => void expire(folder), keptMs).unref())
    },
    async open(userId: number) {
      const snapshot = (await take(userId)) ?? (await make())
      return { manifest: snapshot.manifest, stream: zipOf(backupFolder, snapshot) }
    },
    async close() {
      for (const folder of [...own.keys()]) await expire(folder)
    },
  }
}

const prefixOf = (userId: number) => `ready-${userId}-`
const manifestPath = ({ documentPath }: Pick<Draft, 'documentPath'>) => join(dirname(documentPath), 'manifest.json')
