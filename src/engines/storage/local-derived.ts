import { readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { notFound } from '#platform/errors.ts'
import { type Disk, syncFile, throwExplained } from './disk.ts'
import { derivedFolder, derivedKey } from './keys.ts'
import { openLocal, readWhole, statFile, unlessMissing } from './local-files.ts'
import type { DerivedFiles } from './storage.ts'
import type { TemporaryFiles } from './temporary-files.ts'

/**
 * Derived files are a cache, so small ones are not synced: after a power cut such a file may be empty, and an empty one
 * counts as missing. A large one could be cut in its middle and is dear to make again, so it is synced.
 */
const syncFromBytes = 1024 * 1024

export function createLocalDerived(root: string, options: { disk: Disk; temporary: TemporaryFiles }): DerivedFiles {
  const { disk, temporary } = options
  const pathOf = (key: string) => join(root, derivedKey(key))

  async function statWhole(key: string) {
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
    stat: statWhole,
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
      await temporary.withTakenOver(sourcePath, (path) => publish(path, target)).catch(throwExplained)
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
      if (!(await statWhole(key))) throw notFound('File')
      return use(pathOf(key))
    },
    remove: (sha256) => rm(join(root, derivedFolder(sha256)), { recursive: true, force: true }),
    async removeRecipes(sha256, { prefix, except }) {
      const folder = join(root, derivedFolder(sha256))
      const recipes = (await unlessMissing(readdir(folder))) ?? []
      const unwanted = recipes.filter((recipe) => recipe.startsWith(prefix) && recipe !== except)
      for (const recipe of unwanted) await rm(join(folder, recipe), { force: true })
    },
    temporaryPath: temporary.freshPath,
  }
}
