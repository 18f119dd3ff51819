import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { blobKey, derivedKey } from './keys.ts'
import { createLocalStorage } from './local-storage.ts'
import { createS3Storage } from './s3-storage.ts'
import { startS3TestServer } from './s3-test-server.ts'
import { headBytes, type Storage } from './storage.ts'

/** The same promises, kept by every driver. */
type Driver = {
  storage: Storage
  /** Temporary files that are there now. */
  temporaryFiles(): Promise<string[]>
  temporaryFolder: string
  /** Where a key's bytes really are, to damage or age them. */
  fileOf(key: string): string
  close(): Promise<void>
}

async function startLocal(folder: string): Promise<Driver> {
  const temporaryFolder = join(folder, 'tmp')
  return {
    storage: await createLocalStorage({ directory: folder }),
    temporaryFolder,
    temporaryFiles: () => readdir(temporaryFolder),
    fileOf: (key) => join(folder, key),
    close: async () => {},
  }
}

async function startS3(folder: string): Promise<Driver> {
  const server = await startS3TestServer(join(folder, 'server'))
  const cacheDirectory = join(folder, 'scratch')
  const storage = await createS3Storage({ ...server.options, prefix: 'library/', cacheDirectory })
  const temporaryFolder = join(cacheDirectory, 'tmp')
  return {
    storage,
    temporaryFolder,
    temporaryFiles: () => readdir(temporaryFolder),
    fileOf: (key) => server.fileOf(`library/${key}`),
    async close() {
      await storage.close()
      await server[Symbol.asyncDispose]()
    },
  }
}

const sha256Of = (data: Uint8Array) => createHash('sha256').update(data).digest('hex')
const inChunks = (data: Buffer, size = 1000) =>
  Readable.from(
    Array.from({ length: Math.ceil(data.length / size) }, (_, i) => data.subarray(i * size, (i + 1) * size)),
  )
const unlimited = { maxBytes: Number.MAX_SAFE_INTEGER }

for (const [name, start] of [
  ['local disk', startLocal],
  ['S3', startS3],
] as const) {
  describe(name, () => {
    let folder: string
    let driver: Driver
    let storage: Storage
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'storage-'))
      driver = await start(folder)
      storage = driver.storage
    })
    after(async () => {
      await driver.close()
      await rm(folder, { recursive: true, force: true })
    })

    async function keep(data: Buffer) {
      await using arrival = await storage.receive(inChunks(data), unlimited)
      await arrival.keep()
      return arrival.sha256
    }
    const read = async (sha256: string) => buffer((await storage.open(sha256)).stream)
    async function listed() {
      return (await Array.fromAsync(storage.list())).map(({ sha256 }) => sha256)
    }
    const makeOld = (key: string) => utimes(driver.fileOf(key), new Date(0), new Date(0))

    test('what arrives is hashed, counted and, once kept, read back byte for byte', async () => {
      const data = randomBytes(10_000)
      await using arrival = await storage.receive(inChunks(data), unlimited)
      assert.equal(arrival.sha256, sha256Of(data))
      assert.equal(arrival.bytes, data.length)
      assert.deepEqual(Buffer.from(arrival.head), data.subarray(0, headBytes))
      assert.deepEqual(await readFile(arrival.path), data)
      assert.equal((await stat(arrival.path)).mode & 0o077, 0, 'the temporary file is private')
      assert.equal(await storage.stat(arrival.sha256), null, 'nothing is in the library yet')
      await arrival.keep()
      await arrival.keep()
      assert.deepEqual(await read(arrival.sha256), data)
      assert.equal((await storage.stat(arrival.sha256))?.bytes, data.length)
      assert.deepEqual(await driver.temporaryFiles(), [])
    })

    test('an empty file and a large one are kept like any other', async () => {
      assert.equal((await read(await keep(Buffer.alloc(0)))).length, 0)
      const large = randomBytes(17 * 1024 * 1024)
      const sha256 = await keep(large)
      assert.ok((await read(sha256)).equals(large))
      assert.equal(await storage.verify(sha256), true)
      assert.deepEqual(await driver.temporaryFiles(), [])
    })

    test('what is not kept leaves nothing behind', async () => {
      const data = randomBytes(100)
      {
        await using arrival = await storage.receive(inChunks(data), unlimited)
        assert.equal((await driver.temporaryFiles()).length, 1)
        assert.ok(arrival.path)
      }
      assert.deepEqual(await driver.temporaryFiles(), [])
      const arrival = await storage.receive(inChunks(data), unlimited)
      await arrival.discard()
      await arrival.discard()
      await assert.rejects(arrival.keep(), /discarded/)
      assert.equal(await storage.stat(sha256Of(data)), null)
    })

    test('a file of exactly the limit is taken, one byte more is too large', async () => {
      await using fits = await storage.receive(inChunks(randomBytes(5000)), { maxBytes: 5000 })
      assert.equal(fits.bytes, 5000)
      await assert.rejects(storage.receive(inChunks(randomBytes(5001)), { maxBytes: 5000 }), {
        code: 'too-large',
        status: 413,
      })
      assert.equal((await driver.temporaryFiles()).length, 1)
    })

    test('a source that breaks off leaves nothing behind', async () => {
      async function* broken() {
        yield randomBytes(1000)
        throw new Error('connection lost')
      }
      await assert.rejects(storage.receive(broken(), unlimited), /connection lost/)
      const aborted = Readable.from(broken())
      await assert.rejects(storage.receive(aborted, unlimited), /connection lost/)
      assert.deepEqual(await driver.temporaryFiles(), [])
    })

    test('an upload that falls silent ends when it is aborted', async () => {
      const controller = new AbortController()
      const silent = new Readable({ read() {} })
      silent.push(randomBytes(1000))
      const arrival = storage.receive(silent, { ...unlimited, signal: controller.signal })
      while ((await driver.temporaryFiles()).length === 0) await setImmediate()
      controller.abort(new Error('gone'))
      await assert.rejects(arrival, /gone/)
      assert.deepEqual(await driver.temporaryFiles(), [])
      await assert.rejects(storage.receive(silent, { ...unlimited, signal: controller.signal }), /gone/)
      silent.destroy()
    })

    test('a type that is refused by its first bytes ends the reception, and the rest can be skipped', async () => {
      const heads: number[] = []
      const source = inChunks(randomBytes(50_000))
      const onHead = (head: Uint8Array) => {
        heads.push(head.length)
        throw new Error('not a picture')
      }
      await assert.rejects(storage.receive(source, { ...unlimited, onHead }), /not a picture/)
      assert.deepEqual(heads, [headBytes])
      assert.equal(source.destroyed, false)
      assert.ok((await buffer(source)).length > 0, 'a multipart body goes on behind the refused part')
      await assert.rejects(storage.receive(inChunks(randomBytes(10)), { ...unlimited, onHead }), /not a picture/)
      assert.deepEqual(heads, [headBytes, 10])
      assert.deepEqual(await driver.temporaryFiles(), [])
    })

    test('the same bytes arriving many times at once are one blob', async () => {
      const data = randomBytes(20_000)
      const names = await Promise.all(Array.from({ length: 8 }, () => keep(data)))
      assert.deepEqual(new Set(names), new Set([sha256Of(data)]))
      assert.equal((await listed()).filter((sha256) => sha256 === names[0]).length, 1)
      assert.deepEqual(await read(names[0]!), data)
      assert.deepEqual(await driver.temporaryFiles(), [])
    })

    test('a finished local file becomes a blob and leaves its place', async () => {
      const data = randomBytes(3000)
      const path = storage.derived.temporaryPath('webp')
      assert.match(path, /\.webp$/)
      await writeFile(path, data)
      assert.deepEqual(await storage.adopt(path), { sha256: sha256Of(data), bytes: 3000 })
      assert.deepEqual(await read(sha256Of(data)), data)
      assert.deepEqual(await driver.temporaryFiles(), [])
      await assert.rejects(storage.adopt(path), { code: 'ENOENT' })
    })

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

    test('a reader that goes away early does no harm', async () => {
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

    test('no name but a sha256 ever reaches the disk', async () => {
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

    test('a decoder gets a file to read for as long as it needs it', async () => {
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

    test('the janitor cannot take away what an upload has just brought back', async () => {
      const data = randomBytes(100)
      const sha256 = await keep(data)
      const unused = { unchangedForMs: 3_600_000 }
      assert.equal(await storage.remove(sha256, unused), false, 'just kept')
      await makeOld(blobKey(sha256))
      await keep(data)
      assert.equal(await storage.remove(sha256, unused), false, 'kept again')
      assert.deepEqual(await read(sha256), data)
      await makeOld(blobKey(sha256))
      assert.equal(await storage.remove(sha256, unused), true)
      assert.deepEqual(await driver.temporaryFiles(), [])
    })

    test('the list names every blob with its size and age, and nothing else', async () => {
      const sha256 = await keep(randomBytes(1234))
      await storage.derived.writeBuffer(`${sha256}/thumb`, Buffer.from('t'))
      const all = await Array.fromAsync(storage.list())
      const found = all.find((blob) => blob.sha256 === sha256)
      assert.equal(found?.bytes, 1234)
      assert.ok(Math.abs(Date.now() - found.modifiedAt.getTime()) < 60_000)
      assert.ok(all.every((blob) => /^[0-9a-f]{64}$/.test(blob.sha256)))
    })

    test('a flipped byte is noticed', async () => {
      const data = randomBytes(5000)
      const sha256 = await keep(data)
      assert.equal(await storage.verify(sha256), true)
      data[2500]! ^= 1
      await writeFile(driver.fileOf(blobKey(sha256)), data)
      assert.equal(await storage.verify(sha256), false)
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

      await storage.derived.remove(sha256)
      await storage.derived.remove(sha256)
      assert.equal(await storage.derived.read(key), null)
      assert.equal(await storage.derived.stat(`${sha256}/play.mp4`), null)
      assert.ok(await storage.stat(sha256), 'the blob itself stays')
      assert.deepEqual(await driver.temporaryFiles(), [])
    })

    test('what a crash left behind is swept, what is in use is not', async () => {
      const old = join(driver.temporaryFolder, 'left-over')
      await writeFile(old, 'x')
      await mkdir(`${old}-folder`)
      for (const path of [old, `${old}-folder`]) await utimes(path, new Date(0), new Date(0))
      await using arrival = await storage.receive(inChunks(randomBytes(10)), unlimited)
      assert.equal(await storage.sweep({ olderThanMs: 3_600_000 }), 2)
      await writeFile(old, 'written just now by the decoder of a process that was killed')
      assert.equal(await storage.sweep({ olderThanMs: 3_600_000 }), 0)
      assert.equal(await storage.sweep({ olderThanMs: 3_600_000, isAlone: true }), 1)
      await arrival.keep()
      assert.deepEqual(await driver.temporaryFiles(), [])
    })

    test('the marker is read back after a restart', async () => {
      assert.equal(await storage.marker.read(), null)
      await storage.marker.write('0b7c')
      await storage.marker.write('4f1e-library')
      assert.equal(await storage.marker.read(), '4f1e-library')
      assert.ok(!(await listed()).includes('library-id'))
    })

    test('a storage that works passes its check', async () => {
      await storage.check()
      assert.deepEqual(await driver.temporaryFiles(), [])
      assert.match(derivedKey(`${'ab'.repeat(32)}/x`), /^derived\/ab\/ab\//)
    })
  })
}
