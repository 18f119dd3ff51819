import { existsSync } from 'node:fs'
import { cp, mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { account, measureUsage, type Product, startProduct } from './product.ts'
import { seedAnalysis } from './seed-analysis.ts'
import { seedLargeLibrary } from './seed-large-library.ts'

export type Workspace = ReturnType<typeof openWorkspace>

/** The folder with the data of the benchmarks, deleted at the end. Libraries are created once for all rows. */
export function openWorkspace(root: string) {
  const libraries = new Map<number, Promise<string>>()
  let empty: Promise<string> | undefined
  let folders = 0

  async function newFolder(name: string) {
    const folder = join(root, `${name}-${process.pid}-${++folders}`)
    await mkdir(folder, { recursive: true })
    return folder
  }

  function emptyLibrary() {
    empty ??= makeEmptyLibrary(join(root, 'library-0'))
    return empty
  }

  async function libraryOf(count: number) {
    const made = libraries.get(count) ?? makeLibrary(await emptyLibrary(), join(root, `library-${count}`), count)
    libraries.set(count, made)
    return made
  }

  return {
    newFolder,
    /** Starts the product with an empty library and a signed-in user. */
    async openProduct(): Promise<Product> {
      const folder = await newFolder('data')
      await cp(await emptyLibrary(), folder, { recursive: true })
      return signedIn(await startProduct(folder))
    },
    /** Starts the product with `count` rows without files; owner 1 is signed in. */
    async openLibrary(count: number) {
      return signedIn(await startProduct(await libraryOf(count)))
    },
    /** The same, with the results of an analysis. */
    async openAnalyzedLibrary(count: number, settings: Record<string, string> = {}) {
      const folder = await newFolder('analyzed')
      await cp(await libraryOf(count), folder, { recursive: true })
      seedAnalysis(new DatabaseSync(join(folder, 'albumen.db')), count)
      return signedIn(await startProduct(folder, settings))
    },
  }
}

/**
 * Signs in, and waits until the start-up work is over: memory is released five seconds after the start, and searching for
 * leftover files takes a while with a million rows.
 */
async function signedIn(product: Product) {
  await product.send('POST', '/api/login', { username: account.username, password: account.password })
  await delay(memoryReleasedMs)
  for (let isBusy = true; isBusy; ) {
    const { cpuMs } = await measureUsage(product, () => delay(1000))
    isBusy = cpuMs > idleCpuMs
  }
  return product
}

const memoryReleasedMs = 6000
/** The most that an idle server uses per second. */
const idleCpuMs = 40

/**
 * Two accounts and a finished first automatic backup, which with a million rows without files would run for an hour during
 * the measurements. The next backup is due on Sunday night.
 */
async function makeEmptyLibrary(folder: string) {
  if (existsSync(folder)) return folder
  const draft = await newDraft(folder)
  await mkdir(draft)
  const product = await startProduct(draft)
  await product.send('POST', '/api/register', account)
  await product.send('POST', '/api/register', { ...account, username: 'other', email: 'other@example.com' })
  await signedIn(product)
  for (;;) {
    const { backups } = await product.send<{ backups: { type: string }[] }>('GET', '/api/admin/backups')
    if (backups.length > 0) break
    await delay(500)
  }
  await product.send('POST', '/api/admin/backup-frequency', { frequency: 'weekly' })
  await product.stop()
  await rename(draft, folder)
  return folder
}

/** A folder for creating a library, which is renamed when it is complete, because an interrupted run may leave a part. */
async function newDraft(folder: string) {
  const draft = `${folder}-draft`
  await rm(draft, { recursive: true, force: true })
  return draft
}

async function makeLibrary(empty: string, folder: string, count: number) {
  if (existsSync(folder)) return folder
  const begin = performance.now()
  const draft = await newDraft(folder)
  await cp(empty, draft, { recursive: true })
  await seedLargeLibrary(new DatabaseSync(join(draft, 'albumen.db')), count)
  await rename(draft, folder)
  const seconds = ((performance.now() - begin) / 1000).toFixed(0)
  process.stdout.write(`${count.toLocaleString('en')} items inserted in ${seconds} s\n`)
  return folder
}
