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

/** A disk that ends each write when it is told to. */
function slowFile() {
  const writes: { pieces: Uint8Array[]; end: PromiseWithResolvers<void> }[] = []
  const write = (pieces: Uint8Array[]) => {
    const end = Promise.withResolvers<void>()
    writes.push({ pieces, end })
    return end.promise
  }
  return { writes, file: { write, sync: async () => {}, close: async () => {} } }
}

const ofKilobytes = (count: number) => Buffer.alloc(count * 1024)

async function isOver(promise: Promise<unknown>) {
  let over = false
  const tell = () => (over = true)
  promise.then(tell, tell)
  await turn()
  return over
}

test('what comes while the disk writes is written together, in its order', async () => {
  const { file, writes } = slowFile()
  const behind = createWriteBehind(file)
  const pieces = [1, 2, 3].map((count) => ofKilobytes(count))
  for (const piece of pieces) await behind.write(piece)
  assert.deepEqual(writes[0]?.pieces, [pieces[0]])
  const ended = behind.end()
  writes[0]!.end.resolve()
  await turn()
  assert.deepEqual(writes[1]?.pieces, pieces.slice(1))
  assert.equal(await isOver(ended), false)
  writes[1]!.end.resolve()
  await ended
})

test('whoever sends more than the disk takes waits for it, in large pieces as in small ones', async () => {
  for (const piece of [ofKilobytes(64), Buffer.from('x')]) {
    const { file, writes } = slowFile()
    const behind = createWriteBehind(file)
    let taken = behind.write(piece)
    let count = 1
    for (; await isOver(taken); count++) taken = behind.write(piece)
    assert.ok(count < 50, `${count} pieces`)
    writes[0]!.end.resolve()
    await taken
  }
})

test('a write that failed is told to whoever goes on, and at the end', async () => {
  const { file, writes } = slowFile()
  const behind = createWriteBehind(file)
  await behind.write(ofKilobytes(1))
  writes[0]!.end.reject(new Error('the disk is full'))
  await assert.rejects(behind.end(), /the disk is full/)
  await behind.write(ofKilobytes(500))
  await assert.rejects(behind.write(ofKilobytes(500)), /the disk is full/)
})

test('a disk that takes a part of what it is given is given the rest', async (context) => {
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
  await using arrival = await storage.receive(inPieces(data, 7001), { maxBytes: data.length })
  assert.ok(partly.mock.callCount() > 20)
  assert.deepEqual(await readFile(arrival.path), data)
  assert.equal(arrival.sha256, createHash('sha256').update(data).digest('hex'))
})

async function* inPieces(data: Buffer, bytes: number) {
  for (let at = 0; at < data.length; at += bytes) yield data.subarray(at, at + bytes)
}
