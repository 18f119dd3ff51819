import { existsSync } from 'node:fs'
import { cp, mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { seedLargeLibrary } from './large-library.ts'
import { account, type Product, startProduct, usedBy } from './product.ts'
import { seedLooks } from './seen-library.ts'

export type Workshop = ReturnType<typeof openWorkshop>

/** Where the bench makes what it measures with. Everything in it goes at the end; libraries are made once for all rows. */
export function openWorkshop(root: string) {
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
    /** The product with an empty library, and one person signed in. */
    async openProduct(): Promise<Product> {
      const folder = await newFolder('data')
      await cp(await emptyLibrary(), folder, { recursive: true })
      return signedIn(await startProduct(folder))
    },
    /** The product with so many rows and no files; owner 1 is signed in. */
    async openLibrary(count: number) {
      return signedIn(await startProduct(await libraryOf(count)))
    },
    /** The same, with what looking at the pictures would have found. */
    async openSeenLibrary(count: number) {
      const folder = await newFolder('seen')
      await cp(await libraryOf(count), folder, { recursive: true })
      seedLooks(new DatabaseSync(join(folder, 'albumen.db')), count)
      return signedIn(await startProduct(folder))
    },
  }
}

/**
 * Signed in, and past what every start begins with: what it left in memory is given back after five seconds, compiled code
 * with it, and looking for left-over files takes its time with a million rows.
 */
async function signedIn(product: Product) {
  await product.send('POST', '/api/login', { username: account.username, password: account.password })
  await delay(givenBackMs)
  for (let isBusy = true; isBusy; ) {
    const { cpuMs } = await usedBy(product, () => delay(1000))
    isBusy = cpuMs > idleCpuMs
  }
  return product
}

const givenBackMs = 6000
/** What a server that does nothing uses in a second. */
const idleCpuMs = 40

/**
 * Two accounts, and the first automatic backup made: with a million rows whose files are not there it would go on for an hour
 * beside everything that is measured. The next one comes on Sunday night, not on the very night of the bench.
 */
async function makeEmptyLibrary(folder: string) {
  if (existsSync(folder)) return folder
  const draft = await newDraft(folder)
  await mkdir(draft)
  const product = await startProduct(draft)
  await product.send('POST', '/api/register', account)
  await product.send('POST', '/api/register', { ...account, username: 'neighbour', email: 'neighbour@example.com' })
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

/** Where a library is made that has its name only when it is whole: a row that broke off may have left a part of it. */
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
  process.stdout.write(`${count.toLocaleString('en')} items written in ${seconds} s\n`)
  return folder
}
