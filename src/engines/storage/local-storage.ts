import { rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { notFound } from '#platform/errors.ts'
import { ConfigError } from '#platform/server/config.ts'
import { type Disk, errorCode, nodeDisk, throwExplained } from './disk.ts'
import { createLocalBlobs } from './local-blobs.ts'
import { createLocalDerived } from './local-derived.ts'
import { isLocalWhole, openLocal, readWhole, statFile } from './local-files.ts'
import { receive } from './receive.ts'
import type { Storage } from './storage.ts'
import { createTemporaryFiles } from './temporary-files.ts'

type LocalStorageOptions = {
  directory: string
  /** Another one only in tests, which watch its calls and let them fail. */
  disk?: Disk
}

export async function createLocalStorage({ directory, disk = nodeDisk }: LocalStorageOptions): Promise<Storage> {
  const root = resolve(directory)
  await prepareFolders(root, disk)
  const temporary = createTemporaryFiles(join(root, 'tmp'))
  const blobs = createLocalBlobs(root, { disk, temporary })
  const markerPath = join(root, 'library-id')

  return {
    receive: (source, options) => receive(source, options, { disk, path: temporary.freshPath(), keep: blobs.place }),
    adopt: (path, known) => blobs.adopt(path, known).catch(throwExplained),
    open: async (sha256, range) => openLocal(blobs.pathOf(sha256), range),
    stat: async (sha256) => statFile(blobs.pathOf(sha256)),
    async withLocalFile(sha256, use) {
      if (!(await statFile(blobs.pathOf(sha256)))) throw notFound('File')
      return use(blobs.pathOf(sha256))
    },
    remove: (sha256, { unchangedForMs } = {}) => blobs.remove(sha256, unchangedForMs),
    list: blobs.list,
    verify: async (sha256, signal) => isLocalWhole(blobs.pathOf(sha256), sha256, signal),
    check: temporary.check,
    derived: createLocalDerived(root, { disk, temporary }),
    sweep: temporary.sweep,
    marker: {
      read: async () => (await readMark(markerPath))?.toString('utf8').trim() || null,
      write: (id) => writeDurably(disk, { path: temporary.freshPath(), target: markerPath, text: id }),
    },
    close: async () => {},
  }
}

async function prepareFolders(root: string, disk: Disk) {
  if (await disk.makeFolder(root)) await disk.syncFolder(dirname(root))
  const folders = ['blobs', 'derived', 'tmp'].map((name) => join(root, name))
  for (const folder of folders) await disk.makeFolder(folder)
  await disk.syncFolder(root)
  const devices = await Promise.all(folders.map(async (folder) => (await stat(folder)).dev))
  if (new Set(devices).size > 1) {
    throw new Error(`Expected blobs, derived and tmp of ${root} on one disk, so that files can be renamed between them`)
  }
}

/** Of a folder in its place Node does not say where it is. */
function readMark(path: string) {
  return readWhole(path).catch((error: unknown) => {
    if (errorCode(error) !== 'EISDIR') throw error
    throw new ConfigError(`DATA_DIR must not hold a folder library-id, but a file of that name, or none yet (${path})`)
  })
}

async function writeDurably(disk: Disk, { path, target, text }: { path: string; target: string; text: string }) {
  try {
    const file = await disk.create(path)
    try {
      await file.write([Buffer.from(text)])
      await file.sync()
    } finally {
      await file.close()
    }
    await disk.rename(path, target)
    await disk.syncFolder(dirname(target))
  } catch (error) {
    await rm(path, { force: true })
    throwExplained(error)
  }
}
