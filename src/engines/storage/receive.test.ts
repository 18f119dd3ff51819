import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { drivers, inChunks, openDriver, sha256Of, unlimited } from './drivers.fixture.ts'
import { headBytes } from './storage.ts'

for (const [name, start] of drivers) {
  const driver = await openDriver(start)
  const { storage, keep, read, listed } = driver

  describe(name, () => {
    test('a received file is hashed, counted and, after commit, read back byte for byte', async () => {
      const data = randomBytes(10_000)
      await using staged = await storage.receive(inChunks(data), unlimited)
      assert.equal(staged.sha256, sha256Of(data))
      assert.equal(staged.bytes, data.length)
      assert.deepEqual(Buffer.from(staged.head), data.subarray(0, headBytes))
      assert.deepEqual(await readFile(staged.path), data)
      assert.equal((await stat(staged.path)).mode & 0o077, 0, 'the temporary file is private')
      assert.equal(await storage.stat(staged.sha256), null, 'nothing is in the library yet')
      await staged.commit()
      await staged.commit()
      assert.deepEqual(await read(staged.sha256), data)
      assert.equal((await storage.stat(staged.sha256))?.bytes, data.length)
      assert.deepEqual(await driver.temporaryFiles(), [])
    })

    test('an empty file and a large one are committed like any other', async () => {
      assert.equal((await read(await keep(Buffer.alloc(0)))).length, 0)
      const large = randomBytes(17 * 1024 * 1024)
      const sha256 = await keep(large)
      assert.ok((await read(sha256)).equals(large))
      assert.equal(await storage.verify(sha256), true)
      assert.deepEqual(await driver.temporaryFiles(), [])
    })

    test('a file that is not committed leaves nothing behind', async () => {
      const data = randomBytes(100)
      {
        await using staged = await storage.receive(inChunks(data), unlimited)
        assert.equal((await driver.temporaryFiles()).length, 1)
        assert.ok(staged.path)
      }
      assert.deepEqual(await driver.temporaryFiles(), [])
      const staged = await storage.receive(inChunks(data), unlimited)
      await staged.discard()
      await staged.discard()
      await assert.rejects(staged.commit(), /discarded/)
      assert.equal(await storage.stat(sha256Of(data)), null)
      const kept = await storage.receive(inChunks(data), unlimited)
      await Promise.all([kept.commit(), kept.discard()])
      assert.ok(await storage.stat(sha256Of(data)), 'a file that is being committed is not discarded')
    })

    test('a file of exactly the size limit is accepted, and one byte more is too large', async () => {
      await using fits = await storage.receive(inChunks(randomBytes(5000)), { maxBytes: 5000 })
      assert.equal(fits.bytes, 5000)
      await assert.rejects(storage.receive(inChunks(randomBytes(5001)), { maxBytes: 5000 }), {
        code: 'too-large',
        status: 413,
      })
      assert.equal((await driver.temporaryFiles()).length, 1)
    })

    test('a source that fails leaves nothing behind', async () => {
      async function* broken() {
        yield randomBytes(1000)
        throw new Error('connection lost')
      }
      await assert.rejects(storage.receive(broken(), unlimited), /connection lost/)
      const aborted = Readable.from(broken())
      await assert.rejects(storage.receive(aborted, unlimited), /connection lost/)
      assert.deepEqual(await driver.temporaryFiles(), [])
    })

    test('a type rejected by its first bytes ends receive, and the rest of the source can be skipped', async () => {
      const heads: number[] = []
      const source = inChunks(randomBytes(50_000))
      const onHead = (head: Uint8Array) => {
        heads.push(head.length)
        throw new Error('not a picture')
      }
      await assert.rejects(storage.receive(source, { ...unlimited, onHead }), /not a picture/)
      assert.deepEqual(heads, [headBytes])
      assert.equal(source.destroyed, false)
      assert.ok((await buffer(source)).length > 0, 'a multipart body continues after the rejected part')
      await assert.rejects(storage.receive(inChunks(randomBytes(10)), { ...unlimited, onHead }), /not a picture/)
      assert.deepEqual(heads, [headBytes, 10])
      assert.deepEqual(await driver.temporaryFiles(), [])
    })

    test('the same bytes received many times at once become one blob', async () => {
      const data = randomBytes(20_000)
      const names = await Promise.all(Array.from({ length: 8 }, () => keep(data)))
      assert.deepEqual(new Set(names), new Set([sha256Of(data)]))
      assert.equal((await listed()).filter((sha256) => sha256 === names[0]).length, 1)
      assert.deepEqual(await read(names[0]!), data)
      assert.deepEqual(await driver.temporaryFiles(), [])
    })

    test('adopting a local file makes it a blob and moves it', async () => {
      const data = randomBytes(3000)
      const path = storage.derived.temporaryPath('webp')
      assert.match(path, /\.webp$/)
      await writeFile(path, data)
      assert.deepEqual(await storage.adopt(path), { sha256: sha256Of(data), bytes: 3000 })
      assert.deepEqual(await read(sha256Of(data)), data)
      assert.deepEqual(await driver.temporaryFiles(), [])
      await assert.rejects(storage.adopt(path), { code: 'ENOENT' })
      await writeFile(path, data)
      const known = { sha256: sha256Of(data), bytes: 3000 }
      assert.deepEqual(await storage.adopt(path, known), known)
      assert.deepEqual(await read(known.sha256), data)
    })
  })
}
