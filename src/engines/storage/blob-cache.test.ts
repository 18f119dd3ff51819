import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createBlobCache } from './blob-cache.ts'
import { nodeDisk } from './disk.ts'
import { createTemporaryFiles } from './temporary-files.ts'

async function makeCopies(maxBytes: number) {
  const root = await mkdtemp(join(tmpdir(), 'cache-'))
  const folder = join(root, 'cache')
  await mkdir(folder)
  await mkdir(join(root, 'tmp'))
  const downloads: string[] = []
  const temporary = createTemporaryFiles(join(root, 'tmp'))
  const written: string[] = []
  const cache = createBlobCache({
    folder,
    maxBytes,
    temporary,
    disk: {
      ...nodeDisk,
      async reopen(path) {
        const file = await nodeDisk.reopen(path)
        return { ...file, sync: () => file.sync().then(() => void written.push('synced')) }
      },
      rename: (from, to) => nodeDisk.rename(from, to).then(() => void written.push('named')),
    },
    async download(name, path) {
      downloads.push(name)
      if (name === 'broken') throw new Error('connection lost')
      await writeFile(path, name.repeat(10))
    },
  })
  return {
    cache,
    downloads,
    written,
    temporary,
    held: async () => (await readdir(folder)).sort(),
    temporaryFiles: () => readdir(join(root, 'tmp')),
    makeOld: (name: string, days: number) => {
      const then = new Date(Date.now() - days * 86_400_000)
      return utimes(join(folder, name), then, then)
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true }),
  }
}
const read = (path: string) => readFile(path, 'utf8')

test('concurrent requests for the same blob share one download', async () => {
  await using made = await makeCopies(1000)
  const texts = await Promise.all(Array.from({ length: 6 }, () => made.cache.withFile('a', read)))
  assert.deepEqual(new Set(texts), new Set(['a'.repeat(10)]))
  await made.cache.withFile('a', read)
  assert.deepEqual(made.downloads, ['a'])
  assert.deepEqual(made.written, ['synced', 'named'], 'the copy survives a power cut')
  assert.deepEqual(await made.temporaryFiles(), [])
})

test('the cache stays within its size limit and evicts the least recently used cache', async () => {
  await using made = await makeCopies(25)
  await made.cache.withFile('a', read)
  await made.cache.withFile('b', read)
  await made.makeOld('a', 2)
  await made.makeOld('b', 1)
  await made.cache.withFile('a', read) // recently used again
  await made.cache.withFile('c', read)
  assert.deepEqual(await made.held(), ['a', 'c'])
})

test('a copy that is evicted or becomes old while it is in use stays readable', async () => {
  await using made = await makeCopies(5)
  const text = await made.cache.withFile('a', async (path) => {
    await made.makeOld('a', 1)
    await made.cache.withFile('b', read)
    assert.deepEqual(await made.held(), ['b'])
    assert.equal(await made.temporary.sweep({ olderThanMs: 0 }), 0)
    return read(path)
  })
  assert.equal(text, 'a'.repeat(10))
  assert.deepEqual(await made.temporaryFiles(), [])
})

test('a failed download fails for each request that waits for it, and the next request tries again', async () => {
  await using made = await makeCopies(100)
  const waiting = [made.cache.withFile('broken', read), made.cache.withFile('broken', read)]
  for (const result of await Promise.allSettled(waiting)) assert.equal(result.status, 'rejected')
  await assert.rejects(made.cache.withFile('broken', read), /connection lost/)
  assert.ok(made.downloads.length >= 2)
  assert.deepEqual(await made.held(), [])
  assert.deepEqual(await made.temporaryFiles(), [])
})

test('an evicted copy is downloaded again', async () => {
  await using made = await makeCopies(100)
  await made.cache.withFile('a', read)
  await made.cache.evict('a')
  await made.cache.evict('a')
  await made.cache.withFile('a', read)
  assert.deepEqual(made.downloads, ['a', 'a'])
})
