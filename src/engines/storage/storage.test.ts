import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { drivers, inChunks, openDriver, sha256Of, unlimited } from './drivers.fixture.ts'
import { blobKey, derivedKey } from './keys.ts'

for (const [name, start] of drivers) {
  const driver = await openDriver(start)
  const { storage, keep, read, listed } = driver

  describe(name, () => {
    const makeOld = (key: string) => utimes(driver.fileOf(key), new Date(0), new Date(0))

    test('parts of a blob are read by range', async () => {
      const data = randomBytes(10_000)
      const sha256 = await keep(data)
      const part = async (first: number, last: number) => {
        const { stream, bytes } = await storage.open(sha256, { start: first, end: last })
        const got = await buffer(stream)
        assert.equal(got.length, bytes)
        return got
      }
      assert.deepEqual(await part(0, 1), data.subarray(0, 2))
      assert.deepEqual(await part(7, 7), data.subarray(7, 8))
      assert.deepEqual(await part(100, 1999), data.subarray(100, 2000))
      assert.deepEqual(await part(9_990, 50_000), data.subarray(9_990))
      await assert.rejects(part(10_000, 10_001), { code: 'range-not-satisfiable', status: 416 })
    })

    test('a reader that disconnects early does no harm', async () => {
      const sha256 = await keep(randomBytes(300_000))
      const { stream } = await storage.open(sha256)
      for await (const _chunk of stream) break
      stream.destroy()
      assert.equal((await read(sha256)).length, 300_000)
    })

    test('a missing blob is not found', async () => {
      const sha256 = sha256Of(randomBytes(10))
      const missing = { code: 'not-found', message: 'File not found' }
      await assert.rejects(storage.open(sha256), missing)
      await assert.rejects(storage.open(sha256, { start: 0, end: 1 }), missing)
      await assert.rejects(
        storage.withLocalFile(sha256, async () => {}),
        missing,
      )
      assert.equal(await storage.stat(sha256), null)
      assert.equal(await storage.verify(sha256), false)
      assert.equal(await storage.remove(sha256), false)
    })

    test('only a sha256 ever becomes a path', async () => {
      for (const evil of ['../../etc/passwd', '', 'A'.repeat(64), `${'a'.repeat(64)}/x`, `${'a'.repeat(63)}\n`]) {
        await assert.rejects(async () => storage.open(evil), TypeError)
        await assert.rejects(async () => storage.stat(evil), TypeError)
        await assert.rejects(async () => storage.remove(evil), TypeError)
        await assert.rejects(async () => storage.verify(evil), TypeError)
        await assert.rejects(async () => storage.withLocalFile(evil, async () => {}), TypeError)
        await assert.rejects(async () => storage.derived.remove(evil), TypeError)
      }
      for (const recipe of ['', '..', '../x', '.hidden', 'a/b', 'a\\b', 'a\0', 'x'.repeat(81)]) {
        const key = `${'a'.repeat(64)}/${recipe}`
        await assert.rejects(async () => storage.derived.read(key), TypeError)
        await assert.rejects(async () => storage.derived.open(key), TypeError)
        await assert.rejects(async () => storage.derived.stat(key), TypeError)
        await assert.rejects(async () => storage.derived.write(key, '/nowhere'), TypeError)
        await assert.rejects(async () => storage.derived.writeBuffer(key, Buffer.alloc(1)), TypeError)
        await assert.rejects(async () => storage.derived.withLocalFile(key, async () => {}), TypeError)
      }
      assert.throws(() => storage.derived.temporaryPath('../x'), TypeError)
    })

    test('a decoder gets a file that stays readable while it is in use', async () => {
      const data = randomBytes(5000)
      const sha256 = await keep(data)
      const paths = await Promise.all(
        Array.from({ length: 4 }, () =>
          storage.withLocalFile(sha256, async (path) => {
            assert.deepEqual(await readFile(path), data)
            return path
          }),
        ),
      )
      assert.equal(paths.length, 4)
      await assert.rejects(
        storage.withLocalFile(sha256, () => Promise.reject(new Error('undecodable'))),
        /undecodable/,
      )
      assert.deepEqual(await read(sha256), data)
      assert.deepEqual(await driver.temporaryFiles(), [])
    })

    test('a removed blob is gone', async () => {
      const sha256 = await keep(randomBytes(100))
      assert.equal(await storage.remove(sha256), true)
      assert.equal(await storage.remove(sha256), false)
      assert.equal(await storage.stat(sha256), null)
      await assert.rejects(
        storage.withLocalFile(sha256, async () => {}),
        { code: 'not-found' },
      )
    })

    test('the janitor cannot remove a blob that an upload has just stored again', async () => {
      const data = randomBytes(100)
      const sha256 = await keep(data)
      const unused = { unchangedSince: Date.now() - 3_600_000 }
      assert.equal(await storage.remove(sha256, unused), false, 'just committed')
      await makeOld(blobKey(sha256))
      await keep(data)
      assert.equal(await storage.remove(sha256, unused), false, 'committed again')
      assert.deepEqual(await read(sha256), data)
      await makeOld(blobKey(sha256))
      assert.equal(await storage.remove(sha256, unused), true)
      assert.deepEqual(await driver.temporaryFiles(), [])
    })

    test('the list contains each blob with its size and age, and nothing else', async () => {
      const sha256 = await keep(randomBytes(1234))
      await storage.derived.writeBuffer(`${sha256}/thumb`, Buffer.from('t'))
      const all = await Array.fromAsync(storage.list())
      const found = all.find((blob) => blob.sha256 === sha256)
      assert.equal(found?.bytes, 1234)
      assert.ok(Math.abs(Date.now() - found.modifiedAt.getTime()) < 60_000)
      assert.ok(all.every((blob) => /^[0-9a-f]{64}$/.test(blob.sha256)))
    })

    test('a flipped byte is detected, and repaired by an upload or restore of the same bytes', async () => {
      const data = randomBytes(5000)
      const sha256 = await keep(data)
      assert.equal(await storage.verify(sha256), true)
      await assert.rejects(storage.verify(sha256, AbortSignal.abort()), { name: 'AbortError' })
      const flipped = Buffer.from(data)
      flipped[2500]! ^= 1
      const damage = () => writeFile(driver.fileOf(blobKey(sha256)), flipped)
      await damage()
      assert.equal(await storage.verify(sha256), false)
      await using staged = await storage.receive(inChunks(data), unlimited)
      await staged.commit({ replaceExisting: true })
      assert.equal(await storage.verify(sha256), true, 'uploaded')

      await damage()
      const path = storage.derived.temporaryPath()
      await writeFile(path, data)
      await storage.adopt(path)
      assert.equal(await storage.verify(sha256), true, 'restored')
      assert.deepEqual(await driver.temporaryFiles(), [])
    })

    test('derived files are written, replaced, read and removed together', async () => {
      const sha256 = await keep(randomBytes(10))
      const key = `${sha256}/thumb-400.webp`
      assert.equal(await storage.derived.read(key), null)
      assert.equal(await storage.derived.stat(key), null)
      await assert.rejects(storage.derived.open(key), { code: 'not-found' })
      await assert.rejects(
        storage.derived.withLocalFile(key, async () => {}),
        { code: 'not-found' },
      )

      await storage.derived.writeBuffer(key, Buffer.from('first'))
      assert.equal((await storage.derived.read(key))?.toString(), 'first')
      const path = storage.derived.temporaryPath()
      await writeFile(path, 'second')
      await storage.derived.write(key, path)
      assert.equal((await storage.derived.read(key))?.toString(), 'second')
      assert.equal((await storage.derived.stat(key))?.bytes, 6)
      const part = await storage.derived.open(key, { start: 1, end: 3 })
      assert.equal((await buffer(part.stream)).toString(), 'eco')
      assert.equal(await storage.derived.withLocalFile(key, (local) => readFile(local, 'utf8')), 'second')

      const video = randomBytes(9 * 1024 * 1024)
      const videoPath = storage.derived.temporaryPath('mp4')
      await writeFile(videoPath, video)
      await storage.derived.write(`${sha256}/play.mp4`, videoPath)
      assert.ok((await buffer((await storage.derived.open(`${sha256}/play.mp4`)).stream)).equals(video))

      for (const recipe of ['draft-1', 'draft-2', 'other'])
        await storage.derived.writeBuffer(`${sha256}/${recipe}`, Buffer.from(recipe))
      await storage.derived.removeRecipes(sha256, { prefix: 'draft-', except: 'draft-2' })
      const left = ['draft-1', 'draft-2', 'other'].map(
        async (recipe) => await storage.derived.read(`${sha256}/${recipe}`),
      )
      assert.deepEqual((await Promise.all(left)).map(String), ['null', 'draft-2', 'other'])
      await storage.derived.removeRecipes('f'.repeat(64), { prefix: 'draft-' })

      await storage.derived.remove(sha256)
      await storage.derived.remove(sha256)
      assert.equal(await storage.derived.read(key), null)
      assert.equal(await storage.derived.stat(`${sha256}/play.mp4`), null)
      assert.ok(await storage.stat(sha256), 'the blob itself stays')
      assert.deepEqual(await driver.temporaryFiles(), [])
    })

    test('files that a crash left are swept, and files in use are not', async () => {
      const old = join(driver.temporaryFolder, 'left-over')
      await writeFile(old, 'x')
      await mkdir(`${old}-folder`)
      for (const path of [old, `${old}-folder`]) await utimes(path, new Date(0), new Date(0))
      await using staged = await storage.receive(inChunks(randomBytes(10)), unlimited)
      assert.equal(await storage.sweep({ olderThanMs: 3_600_000 }), 2)
      await writeFile(old, 'written just now by the decoder of a process that was killed')
      assert.equal(await storage.sweep({ olderThanMs: 3_600_000 }), 0)
      assert.equal(await storage.sweep({ olderThanMs: 3_600_000, isAlone: true }), 1)
      await staged.commit()
      assert.deepEqual(await driver.temporaryFiles(), [])
    })

    test('an old file that is being moved in, as from a backup, is not swept', async () => {
      const source = join(driver.temporaryFolder, '..', 'of-a-backup')
      await writeFile(source, randomBytes(4_000_000))
      await utimes(source, new Date(0), new Date(0))
      let isOver = false
      const adopting = storage.adopt(source).finally(() => {
        isOver = true
      })
      while (!isOver) assert.equal(await storage.sweep({ olderThanMs: 3_600_000 }), 0)
      assert.equal(await storage.verify((await adopting).sha256), true)
    })

    test('the marker is read back after a restart', async () => {
      assert.equal(await storage.marker.read(), null)
      await storage.marker.write('0b7c')
      await storage.marker.write('4f1e-library')
      assert.equal(await storage.marker.read(), '4f1e-library')
      assert.ok(!(await listed()).includes('library-id'))
    })

    test('a working storage passes its health check', async () => {
      await storage.check()
      assert.deepEqual(await driver.temporaryFiles(), [])
      assert.match(derivedKey(`${'ab'.repeat(32)}/x`), /^derived\/ab\/ab\//)
    })
  })
}
