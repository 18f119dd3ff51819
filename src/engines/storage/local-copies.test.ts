import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { nodeDisk } from './disk.ts'
import { createLocalCopies } from './local-copies.ts'
import { createTemporaryFiles } from './temporary-files.ts'

async function makeCopies(maxBytes: number) {
  const root = await mkdtemp(join(tmpdir(), 'copies-'))
  const folder = join(root, 'copies')
  await mkdir(folder)
  await mkdir(join(root, 'tmp'))
  const downloads: string[] = []
  const temporary = createTemporaryFiles(join(root, 'tmp'))
  const written: string[] = []
  const copies = createLocalCopies({
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
    copies,
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

test('many who want the same blob share one download', async () => {
  await using made = await makeCopies(1000)
  const texts = await Promise.all(Array.from({ length: 6 }, () => made.copies.lend('a', read)))
  assert.deepEqual(new Set(texts), new Set(['a'.repeat(10)]))
  await made.copies.lend('a', read)
  assert.deepEqual(made.downloads, ['a'])
  assert.deepEqual(made.written, ['synced', 'named'], 'as it must be after a power cut too')
  assert.deepEqual(await made.temporaryFiles(), [])
})

test('the cache stays within its bounds and lets go of what was lent longest ago', async () => {
  await using made = await makeCopies(25)
  await made.copies.lend('a', read)
  await made.copies.lend('b', read)
  await made.makeOld('a', 2)
  await made.makeOld('b', 1)
  await made.copies.lend('a', read) // young again
  await made.copies.lend('c', read)
  assert.deepEqual(await made.held(), ['a', 'c'])
})

test('a copy that is pushed out, or grows old, while it is lent stays readable', async () => {
  await using made = await makeCopies(5)
  const text = await made.copies.lend('a', async (path) => {
    await made.makeOld('a', 1)
    await made.copies.lend('b', read)
    assert.deepEqual(await made.held(), ['b'])
    assert.equal(await made.temporary.sweep({ olderThanMs: 0 }), 0)
    return read(path)
  })
  assert.equal(text, 'a'.repeat(10))
  assert.deepEqual(await made.temporaryFiles(), [])
})

test('a download that fails is told to everyone who waits, and tried again by the next', async () => {
  await using made = await makeCopies(100)
  const waiting = [made.copies.lend('broken', read), made.copies.lend('broken', read)]
  for (const result of await Promise.allSettled(waiting)) assert.equal(result.status, 'rejected')
  await assert.rejects(made.copies.lend('broken', read), /connection lost/)
  assert.ok(made.downloads.length >= 2)
  assert.deepEqual(await made.held(), [])
  assert.deepEqual(await made.temporaryFiles(), [])
})

test('a forgotten copy is downloaded again', async () => {
  await using made = await makeCopies(100)
  await made.copies.lend('a', read)
  await made.copies.forget('a')
  await made.copies.forget('a')
  await made.copies.lend('a', read)
  assert.deepEqual(made.downloads, ['a', 'a'])
})
