import { link, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { notFound } from '#platform/errors.ts'
import { ConfigError } from '#platform/server/config.ts'
import { type Disk, errorCode, nodeDisk, syncAndClose, syncFile, throwExplained } from './disk.ts'
import { blobKey, blobOfKey, createDurableShards, derivedFolder, derivedKey, isShardName, recipeOfKey } from './keys.ts'
import { hashLocal, isLocalIntact, openLocal, readWhole, statFile, unlessMissing } from './local-files.ts'
import { type ReceivedFile, receive } from './receive.ts'
import type { DerivedFiles, Hashed, Storage } from './storage.ts'
import { createTemporaryFiles, type TemporaryFiles } from './temporary-files.ts'

type LocalStorageOptions = {
  directory: string
  /** Only tests pass another one, which records the calls and makes some fail. */
  disk?: Disk
}

export async function createLocalStorage({ directory, disk = nodeDisk }: LocalStorageOptions): Promise<Storage> {
  const root = resolve(directory)
  await prepareFolders(root, disk)
  const temporary = createTemporaryFiles(join(root, 'tmp'))
  const blobs = createLocalBlobs(root, { disk, temporary })
  const markerPath = join(root, 'library-id')

  return {
    receive: (source, options) =>
      receive(source, options, { disk, path: temporary.freshPath(), commit: blobs.publishBlob }),
    adopt: (path, known) => blobs.adopt(path, known).catch(throwExplained),
    open: async (sha256, range) => openLocal(blobs.pathOf(sha256), range),
    stat: async (sha256) => statFile(blobs.pathOf(sha256)),
    async withLocalFile(sha256, use) {
      if (!(await statFile(blobs.pathOf(sha256)))) throw notFound('File')
      return use(blobs.pathOf(sha256))
    },
    remove: (sha256, { unchangedSince } = {}) => blobs.remove(sha256, unchangedSince),
    list: blobs.list,
    verify: async (sha256, signal) => isLocalIntact(blobs.pathOf(sha256), sha256, signal),
    check: temporary.check,
    derived: createLocalDerived(root, { disk, temporary }),
    sweep: temporary.sweep,
    marker: {
      read: async () => (await readMarker(markerPath))?.toString('utf8').trim() || null,
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

/** Node's error for a folder at this path does not name the path. */
function readMarker(path: string) {
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

/** Stores and removes the blobs of a local disk. */
function createLocalBlobs(root: string, { disk, temporary }: { disk: Disk; temporary: TemporaryFiles }) {
  const pathOf = (sha256: string) => join(root, blobKey(sha256))
  const prepareShard = createDurableShards(root, disk)

  /** See [Note: Write order that survives a power cut]. Replaces an existing blob, which makes it recent and intact again. */
  async function publishBlob({ file, path, sha256 }: Omit<ReceivedFile, 'bytes'>) {
    await syncAndClose(file)
    const folder = await prepareShard(sha256)
    await disk.rename(path, pathOf(sha256))
    await disk.syncFolder(folder)
  }

  function adopt(source: string, known?: Hashed) {
    return temporary.withMovedFile(source, async (path) => {
      const hashed = known ?? (await hashLocal(path))
      await publishBlob({ file: await disk.reopen(path), path, sha256: hashed.sha256 })
      return hashed
    })
  }

  async function remove(sha256: string, unchangedSince = Number.POSITIVE_INFINITY) {
    if (await isChangedSince(pathOf(sha256), unchangedSince)) return false
    // The blob is renamed and its age is checked again, because an upload of the same bytes may have committed it in between,
    // possibly in another process, and must not lose it.
    return temporary.withPath(async (quarantined) => {
      if ((await unlessMissing(rename(pathOf(sha256), quarantined))) === null) return false
      if (!(await isChangedSince(quarantined, unchangedSince))) return true
      await link(quarantined, pathOf(sha256)).catch((error: unknown) => {
        if (errorCode(error) !== 'EEXIST') throw error
      })
      await disk.syncFolder(dirname(pathOf(sha256)))
      return false
    })
  }

  async function* list() {
    for (const shard of await listShards(join(root, 'blobs'))) {
      for (const name of await readdir(join(root, 'blobs', shard))) {
        const sha256 = blobOfKey(`blobs/${shard}/${name}`)
        const facts = sha256 && (await statFile(pathOf(sha256)))
        if (facts) yield { sha256, ...facts }
      }
    }
  }

  return { pathOf, publishBlob, adopt, remove, list }
}

async function isChangedSince(path: string, time: number) {
  if (time === Number.POSITIVE_INFINITY) return false
  const facts = await statFile(path)
  return facts !== null && facts.modifiedAt.getTime() > time
}

async function listShards(folder: string) {
  const shards: string[] = []
  for (const first of (await readdir(folder)).filter(isShardName)) {
    for (const second of (await readdir(join(folder, first))).filter(isShardName)) shards.push(`${first}/${second}`)
  }
  return shards
}

/**
 * Derived files are a cache, so small ones are not synced: after a power cut such a file may be empty, and an empty file
 * counts as missing. A large one could be truncated and is expensive to make again, so it is synced.
 */
const syncFromBytes = 1024 * 1024

function createLocalDerived(root: string, options: { disk: Disk; temporary: TemporaryFiles }): DerivedFiles {
  const { disk, temporary } = options
  const pathOf = (key: string) => join(root, derivedKey(key))

  async function statNonEmpty(key: string) {
    const facts = await statFile(pathOf(key))
    return facts && facts.bytes > 0 ? facts : null
  }

  async function publish(path: string, target: string) {
    const facts = await statFile(path)
    if (facts && facts.bytes >= syncFromBytes) await syncFile(disk, path)
    await disk.makeFolder(dirname(target))
    await disk.rename(path, target)
  }

  return {
    stat: statNonEmpty,
    async read(key) {
      const data = await readWhole(pathOf(key))
      return data?.length ? data : null
    },
    async open(key, range) {
      const opened = await openLocal(pathOf(key), range)
      if (opened.bytes > 0) return opened
      opened.stream.destroy()
      throw notFound('File')
    },
    async write(key, sourcePath) {
      const target = pathOf(key)
      await temporary.withMovedFile(sourcePath, (path) => publish(path, target)).catch(throwExplained)
    },
    async writeBuffer(key, data) {
      const target = pathOf(key)
      const written = temporary.withPath(async (path) => {
        await writeFile(path, data, { flag: 'wx', mode: 0o600 })
        await publish(path, target)
      })
      await written.catch(throwExplained)
    },
    async withLocalFile(key, use) {
      if (!(await statNonEmpty(key))) throw notFound('File')
      return use(pathOf(key))
    },
    remove: (sha256) => rm(join(root, derivedFolder(sha256)), { recursive: true, force: true }),
    removeOne: (key) => rm(pathOf(key), { force: true }),
    async touch(key) {
      const now = new Date()
      await unlessMissing(utimes(pathOf(key), now, now))
    },
    async *list() {
      const folder = join(root, 'derived')
      for (const shard of await listShards(folder)) {
        for (const sha256 of await readdir(join(folder, shard))) {
          // A janitor may remove the folder meanwhile.
          for (const recipe of (await unlessMissing(readdir(join(folder, shard, sha256)))) ?? []) {
            const key = recipeOfKey(`derived/${shard}/${sha256}/${recipe}`)
            const facts = key && (await statFile(pathOf(key)))
            if (facts) yield { key, ...facts }
          }
        }
      }
    },
    async removeRecipes(sha256, { prefix, except }) {
      const folder = join(root, derivedFolder(sha256))
      const recipes = (await unlessMissing(readdir(folder))) ?? []
      const unwanted = recipes.filter((recipe) => recipe.startsWith(prefix) && recipe !== except)
      for (const recipe of unwanted) await rm(join(folder, recipe), { force: true })
    },
    temporaryPath: temporary.freshPath,
  }
}
