import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { seedLargeLibrary } from './large-library.ts'
import { account, type Product, startProduct } from './product.ts'

export type Workshop = Awaited<ReturnType<typeof openWorkshop>>

/** Where the bench makes what it measures with. Everything in it goes at the end; libraries are made once for all rows. */
export async function openWorkshop() {
  // Kept between runs only for whoever works on the bench itself.
  const kept = process.env.BENCH_FOLDER
  const root = kept ?? (await mkdtemp(join(tmpdir(), 'albumen-bench-')))
  const libraries = new Map<number, Promise<string>>()
  let folders = 0

  async function newFolder(name: string) {
    const folder = join(root, `${name}-${process.pid}-${++folders}`)
    await mkdir(folder, { recursive: true })
    return folder
  }

  return {
    newFolder,
    /** The product with an empty library, and one person signed in. */
    async openProduct(settings?: Record<string, string>): Promise<Product> {
      const product = await startProduct(await newFolder('data'), settings)
      await product.send('POST', '/api/register', account)
      return product
    },
    /** The product with so many rows and no files; owner 1 is signed in. */
    async openLibrary(count: number) {
      const made = libraries.get(count) ?? makeLibrary(join(root, `library-${count}`), count)
      libraries.set(count, made)
      const product = await startProduct(await made)
      await product.send('POST', '/api/login', { username: account.username, password: account.password })
      return product
    },
    async close() {
      if (!kept) await rm(root, { recursive: true, force: true })
    },
  }
}

async function makeLibrary(folder: string, count: number) {
  if (existsSync(folder)) return folder
  const begin = performance.now()
  const draft = `${folder}-draft`
  await mkdir(draft, { recursive: true })
  const product = await startProduct(draft)
  await product.send('POST', '/api/register', account)
  await product.send('POST', '/api/register', { ...account, username: 'neighbour', email: 'neighbour@example.com' })
  await product.stop()
  await seedLargeLibrary(new DatabaseSync(join(draft, 'albumen.db')), count)
  await rename(draft, folder)
  const seconds = ((performance.now() - begin) / 1000).toFixed(0)
  process.stdout.write(`${count.toLocaleString('en')} items written in ${seconds} s\n`)
  return folder
}
