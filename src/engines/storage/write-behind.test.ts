import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { nodeDisk } from './disk.ts'
import { createLocalStorage } from './local-storage.ts'
import { createWriteBehind } from './receive.ts'

/** A file whose writes end when the test says so. */
function slowFile() {
  const writes: { pieces: Uint8Array[]; end: PromiseWithResolvers<void> }[] = []
  const write = (pieces: Uint8Array[]) => {
    const end = Promise.withResolvers<void>()
    writes.push({ pieces, end })
    return end.promise
  }
  return { writes, file: { write, sync: async () => {}, close: async () => {} } }
}

const kilobytes = (count: number) => Buffer.alloc(count * 1024)

async function isSettled(promise: Promise<unknown>) {
  let over = false
  const tell = () => (over = true)
  promise.then(tell, tell)
  await turn()
  return over
}

test('chunks that arrive during a write are written together, in order', async () => {
  const { file, writes } = slowFile()
  const behind = createWriteBehind(file)
  const pieces = [1, 2, 3].map((count) => kilobytes(count))
  for (const piece of pieces) await behind.write(piece)
  assert.deepEqual(writes[0]?.pieces, [pieces[0]])
  const ended = behind.end()
  writes[0]!.end.resolve()
  await turn()
  assert.deepEqual(writes[1]?.pieces, pieces.slice(1))
  assert.equal(await isSettled(ended), false)
  writes[1]!.end.resolve()
  await ended
})

test('a sender that is faster than the disk waits for it, with large and with small chunks', async () => {
  for (const piece of [kilobytes(64), Buffer.from('x')]) {
    const { file, writes } = slowFile()
    const behind = createWriteBehind(file)
    let taken = behind.write(piece)
    let count = 1
    for (; await isSettled(taken); count++) taken = behind.write(piece)
    assert.ok(count < 50, `${count} pieces`)
    writes[0]!.end.resolve()
    await taken
  }
})

test('a failed write is thrown by the next write and at the end', async () => {
  const { file, writes } = slowFile()
  const behind = createWriteBehind(file)
  await behind.write(kilobytes(1))
  writes[0]!.end.reject(new Error('the disk is full'))
  await assert.rejects(behind.end(), /the disk is full/)
  await behind.write(kilobytes(500))
  await assert.rejects(behind.write(kilobytes(500)), /the disk is full/)
})

test('a partial write is continued with the rest', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'write-behind-'))
  context.after(() => rm(folder, { recursive: true }))
  const handle = await open(join(folder, 'any'), 'w')
  const prototype = Object.getPrototypeOf(handle)
  await handle.close()
  const { writev } = prototype
  const partly = context.mock.method(prototype, 'writev', function (this: unknown, pieces: Uint8Array[]) {
    return writev.call(this, [pieces[0]!.subarray(0, Math.ceil(pieces[0]!.length / 2))])
  })
  const data = randomBytes(100_000)
  const storage = await createLocalStorage({ directory: folder, disk: nodeDisk })
  await using staged = await storage.receive(inChunks(data, 7001), { maxBytes: data.length })
  assert.ok(partly.mock.callCount() > 20)
  assert.deepEqual(await readFile(staged.path), data)
  assert.equal(staged.sha256, createHash('sha256').update(data).digest('hex'))
})

async function* inChunks(data: Buffer, bytes: number) {
  for (let at = 0; at < data.length; at += bytes) yield data.subarray(at, at + bytes)
}
