import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import fs, { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { type Disk, nodeDisk, type OpenFile } from './disk.ts'
import { blobKey } from './keys.ts'
import { createLocalStorage } from './local-storage.ts'

type Call = 'create' | 'write' | 'sync' | 'close' | 'rename' | 'syncFolder' | 'makeFolder'

/** The real disk with a record of its calls; one of them fails if a test asks for it. */
function watchedDisk(root: string) {
  const calls: string[] = []
  let fault: { call: Call; code: string } | undefined

  function note(call: Call, path: string) {
    const name = relative(root, path).replace(/^tmp\/.+/, 'tmp/*') || '.'
    calls.push(`${call} ${name}`)
    if (fault?.call === call) throw Object.assign(new Error(`${fault.code}: injected`), { code: fault.code })
  }
  const watched = (path: string, file: OpenFile): OpenFile => ({
    async write(pieces) {
      note('write', path)
      await file.write(pieces)
    },
    async sync() {
      note('sync', path)
      await file.sync()
    },
    async close() {
      await file.close()
      note('close', path)
    },
  })
  const disk: Disk = {
    async create(path) {
      note('create', path)
      return watched(path, await nodeDisk.create(path))
    },
    reopen: async (path) => watched(path, await nodeDisk.reopen(path)),
    async rename(from, to) {
      note('rename', to)
      await nodeDisk.rename(from, to)
    },
    async makeFolder(path) {
      note('makeFolder', path)
      return nodeDisk.makeFolder(path)
    },
    async syncFolder(path) {
      note('syncFolder', path)
      await nodeDisk.syncFolder(path)
    },
  }
  return { disk, calls, fail: (call?: Call, code = 'EIO') => (fault = call && { call, code }) }
}

async function watchedStorage() {
  const root = await mkdtemp(join(tmpdir(), 'durability-'))
  const watch = watchedDisk(root)
  const storage = await createLocalStorage({ directory: root, disk: watch.disk })
  watch.calls.length = 0
  return {
    root,
    storage,
    ...watch,
    receive: (data: Uint8Array) => storage.receive(Readable.from([data]), { maxBytes: 1e9 }),
    leftOvers: () => readdir(join(root, 'tmp')),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true }),
  }
}

test('an upload is committed after its bytes are synced, renamed and the folder is synced', async () => {
  await using watch = await watchedStorage()
  const first = await watch.receive(randomBytes(10))
  await first.commit()
  const key = blobKey(first.sha256)
  const folder = dirname(key)
  assert.deepEqual(watch.calls, [
    'create tmp/*',
    'write tmp/*',
    'sync tmp/*',
    'close tmp/*',
    `makeFolder ${folder}`,
    'syncFolder blobs',
    `syncFolder ${dirname(folder)}`,
    `rename ${key}`,
    `syncFolder ${folder}`,
  ])
})

test('a durable folder is not synced again, unless it was created again', async () => {
  await using watch = await watchedStorage()
  const data = randomBytes(10)
  const { sha256 } = await commitAgain()
  const folder = dirname(blobKey(sha256))
  watch.calls.length = 0
  await commitAgain()
  assert.deepEqual(watch.calls.slice(4), [`makeFolder ${folder}`, `rename ${blobKey(sha256)}`, `syncFolder ${folder}`])
  await rm(join(watch.root, 'blobs'), { recursive: true })
  watch.calls.length = 0
  await commitAgain()
  assert.ok(watch.calls.includes('syncFolder blobs'))

  async function commitAgain() {
    const staged = await watch.receive(data)
    await staged.commit()
    return staged
  }
})

test('a conversion result is stored as durably as an upload', async () => {
  await using watch = await watchedStorage()
  const path = watch.storage.derived.temporaryPath()
  await writeFile(path, 'converted')
  const { sha256 } = await watch.storage.adopt(path)
  const [sync, close] = watch.calls
  assert.deepEqual([sync, close], ['sync tmp/*', 'close tmp/*'])
  assert.deepEqual(watch.calls.slice(-2), [`rename ${blobKey(sha256)}`, `syncFolder ${dirname(blobKey(sha256))}`])
})

test('an upload of the same bytes repairs a damaged blob', async () => {
  await using watch = await watchedStorage()
  const data = randomBytes(100)
  const { sha256, commit } = await watch.receive(data)
  await commit()
  await writeFile(join(watch.root, blobKey(sha256)), randomBytes(100))
  await (await watch.receive(data)).commit()
  assert.equal(await watch.storage.verify(sha256), true)
})

test('a concurrent upload and janitor never lose what the upload committed', async () => {
  await using watch = await watchedStorage()
  const data = randomBytes(100)
  const { sha256, commit } = await watch.receive(data)
  await commit()
  for (let round = 0; round < 60; round++) {
    await utimes(join(watch.root, blobKey(sha256)), new Date(0), new Date(0))
    const staged = await watch.receive(data)
    await Promise.all([staged.commit(), watch.storage.remove(sha256, { unchangedSince: Date.now() - 60_000 })])
    assert.equal(await watch.storage.verify(sha256), true, `round ${round}`)
  }
  assert.deepEqual(await watch.leftOvers(), [])
})

test('a blob that an upload commits while the janitor removes it is put back durably', async (context) => {
  await using watch = await watchedStorage()
  const data = randomBytes(100)
  const { sha256, commit } = await watch.receive(data)
  await commit()
  const path = join(watch.root, blobKey(sha256))
  await utimes(path, new Date(0), new Date(0))
  const again = await watch.receive(data)
  const { rename } = fs
  const removal = context.mock.method(fs, 'rename', async (from: string, to: string) => {
    if (from === path) {
      await again.commit()
      watch.calls.length = 0
    }
    return rename(from, to)
  })
  // The test replaces the function for modules that imported it by name, too.
  syncBuiltinESMExports()
  assert.equal(await watch.storage.remove(sha256, { unchangedSince: Date.now() - 60_000 }), false)
  removal.mock.restore()
  syncBuiltinESMExports()
  assert.equal(await watch.storage.verify(sha256), true)
  assert.deepEqual(watch.calls, [`syncFolder ${dirname(blobKey(sha256))}`])
  assert.deepEqual(await watch.leftOvers(), [])
})

for (const code of ['ENOSPC', 'EDQUOT']) {
  test(`a full disk is reported as such and works again later (${code})`, async () => {
    await using watch = await watchedStorage()
    const full = { code: 'storage-full', status: 507 }
    for (const call of ['create', 'write'] as const) {
      watch.fail(call, code)
      await assert.rejects(watch.receive(randomBytes(10)), full, call)
    }
    for (const call of ['sync', 'close', 'makeFolder', 'rename', 'syncFolder'] as const) {
      watch.fail()
      await using staged = await watch.receive(randomBytes(10))
      watch.fail(call, code)
      await assert.rejects(staged.commit(), full, call)
    }
    watch.fail('rename', code)
    await assert.rejects(watch.storage.derived.writeBuffer(`${'a'.repeat(64)}/thumb`, Buffer.from('x')), full)
    await assert.rejects(watch.storage.marker.write('id'), full)
    const path = watch.storage.derived.temporaryPath()
    await writeFile(path, 'x')
    await assert.rejects(watch.storage.adopt(path), full)
    assert.deepEqual(await watch.leftOvers(), [])

    watch.fail()
    const staged = await watch.receive(randomBytes(10))
    await staged.commit()
    assert.equal(await watch.storage.verify(staged.sha256), true)
  })
}

test('an I/O error at any step is never reported as success', async () => {
  await using watch = await watchedStorage()
  for (const call of ['sync', 'close', 'makeFolder', 'rename', 'syncFolder'] as const) {
    watch.fail()
    const staged = await watch.receive(randomBytes(10))
    watch.fail(call, 'EIO')
    await assert.rejects(staged.commit(), { code: 'EIO' }, call)
    await assert.rejects(staged.commit(), { code: 'EIO' }, `${call}, asked again`)
    await staged.discard()
  }
  assert.deepEqual(await watch.leftOvers(), [])
})

test('a large rendition is synced, a thumbnail is not, and an empty one counts as missing', async () => {
  await using watch = await watchedStorage()
  const key = `${'a'.repeat(64)}/thumb`
  await watch.storage.derived.writeBuffer(key, randomBytes(20_000))
  assert.ok(!watch.calls.some((call) => call.startsWith('sync ')))
  const path = watch.storage.derived.temporaryPath()
  await writeFile(path, randomBytes(1024 * 1024))
  await watch.storage.derived.write(`${'a'.repeat(64)}/play.mp4`, path)
  assert.ok(watch.calls.some((call) => call.startsWith('sync ')))

  await writeFile(join(watch.root, 'derived/aa/aa', key), '')
  assert.equal(await watch.storage.derived.read(key), null)
  assert.equal(await watch.storage.derived.stat(key), null)
  await assert.rejects(watch.storage.derived.open(key), { code: 'not-found' })
})

test('the marker survives a power cut: it is synced, renamed, and its folder is synced', async () => {
  await using watch = await watchedStorage()
  await watch.storage.marker.write('library')
  assert.deepEqual(watch.calls.slice(-3), ['close tmp/*', 'rename library-id', 'syncFolder .'])
  assert.equal(await readFile(join(watch.root, 'library-id'), 'utf8'), 'library')
})

test('a missing folder fails the health check', async () => {
  await using watch = await watchedStorage()
  await watch.storage.check()
  await rm(join(watch.root, 'tmp'), { recursive: true })
  await assert.rejects(watch.storage.check(), { code: 'unavailable', status: 503 })
})
