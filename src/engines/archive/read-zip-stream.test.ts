import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { crc32, deflateRawSync } from 'node:zlib'
import { craft } from './crafted-zip.fixture.ts'
import { canBeStreamed, createStreamReader, streamEntries, unpacked } from './read-zip-stream.ts'
import { createZip, type ZipSource } from './write-zip.ts'

const refused = { code: 'bad-archive', status: 400 }

type Part = { name: string; data: Buffer; isPacked?: boolean; behind?: Buffer }

function sourceOf({ name, data, isPacked = false, behind = Buffer.alloc(0) }: Part): ZipSource {
  const lying = isPacked ? Buffer.concat([deflateRawSync(data), behind]) : data
  return {
    name,
    bytes: data.length,
    isDeflated: false,
    ...(isPacked && { packed: { bytes: lying.length, crc32: crc32(data) } }),
    open: async () => Readable.from([lying]),
  }
}

const zipOf = (parts: Part[]) => buffer(createZip(parts.map(sourceOf)))

function arriving(archive: Buffer, pieceBytes: number) {
  function* pieces() {
    for (let at = 0; at < archive.length; at += pieceBytes) yield archive.subarray(at, at + pieceBytes)
  }
  return createStreamReader(Readable.from(pieces())[Symbol.asyncIterator]())
}

async function readAll(archive: Buffer, pieceBytes = 1000): Promise<Part[]> {
  const parts: Part[] = []
  for await (const entry of streamEntries(arriving(archive, pieceBytes), () => true)) {
    parts.push({ name: entry.name, data: await buffer(unpacked(entry)) })
  }
  return parts
}

const parts: Part[] = [
  { name: 'manifest.json', data: Buffer.from('{"hello":"world"}') },
  { name: 'rows.json', data: Buffer.from('"again and again"\n'.repeat(100)), isPacked: true },
  { name: 'files/Évening', data: randomBytes(300) },
  { name: 'files/empty', data: Buffer.alloc(0) },
]

test('an archive that Albumen wrote is read from a stream in pieces of any size', async () => {
  const archive = await zipOf(parts)
  for (const pieceBytes of [1, 7, 46, 200, archive.length]) {
    const read = await readAll(archive, pieceBytes)
    assert.deepEqual(
      read.map(({ name, data }) => [name, data]),
      parts.map(({ name, data }) => [name, data]),
      `in pieces of ${pieceBytes}`,
    )
  }
})

test('the unread rest of a streamed entry is skipped', async () => {
  const names: string[] = []
  for await (const { name, packed } of streamEntries(arriving(await zipOf(parts), 50), () => false)) {
    names.push(name)
    if (name === 'files/Évening') for await (const _piece of packed) break
  }
  assert.deepEqual(
    names,
    parts.map(({ name }) => name),
  )
})

test('only archives that Albumen wrote are streamed, and the check consumes nothing', async () => {
  const isOurs = async (archive: Buffer) => {
    const bytes = arriving(archive, 10)
    const answer = await canBeStreamed(bytes)
    assert.deepEqual(await buffer(bytes.rest()), archive)
    return answer
  }
  assert.equal(await isOurs(await zipOf(parts)), true)
  assert.equal(await isOurs(craft(parts)), false)
  assert.equal(await isOurs(await zipOf([])), false)
  assert.equal(await isOurs(await buffer(createZip([{ ...sourceOf(parts[0]!), isDeflated: true }]))), false)
  for (const archive of ['', 'PK', 'hello', 'x'.repeat(1000)]) assert.equal(await isOurs(Buffer.from(archive)), false)
})

test('a streamed archive that is cut anywhere, or continues after its end, is refused', async () => {
  const archive = await zipOf(parts)
  for (let length = 0; length < archive.length; length++) {
    await assert.rejects(readAll(archive.subarray(0, length)), refused, `cut after ${length}`)
  }
  await assert.rejects(readAll(Buffer.concat([archive, Buffer.from('x')])), refused)
})

test('a streamed archive that another program changed is refused with the advice to pack it again', async () => {
  const archive = await zipOf(parts)
  const remark = Buffer.from('holidays')
  const remarked = Buffer.concat([archive, remark])
  remarked.writeUInt16LE(remark.length, archive.length - 2)
  const directoryAt = archive.readUInt32LE(archive.length - 6)
  const foreign = Buffer.from(
    (await buffer(createZip([{ ...sourceOf(parts[0]!), isDeflated: true }]))).subarray(0, 100),
  )
  const added = Buffer.concat([archive.subarray(0, directoryAt), foreign, archive.subarray(directoryAt)])
  for (const changed of [remarked, added]) {
    await assert.rejects(readAll(changed), { ...refused, message: /was changed after .+ pack it again/ })
  }
})

test('a flipped bit in a streamed archive is refused or has no effect', async () => {
  const archive = await zipOf(parts)
  let unnoticed = 0
  for (let bit = 0; bit < archive.length * 8; bit += 5) {
    const changed = Buffer.from(archive)
    changed[bit >> 3]! ^= 1 << (bit & 7)
    const read = await readAll(changed).catch((error: unknown) => {
      assert.equal((error as { code?: string }).code, 'bad-archive', `bit ${bit}: ${error}`)
      return null
    })
    if (!read) continue
    unnoticed++
    // The caller compares names with those it expects, and packed bytes with a hash.
    for (const [index, { data }] of parts.entries())
      if (!parts[index]!.isPacked) assert.deepEqual(read[index]!.data, data)
  }
  assert.ok(unnoticed > 0, 'a flipped bit of a time has no effect')
})

test('a streamed entry that unpacks to far more than its packed size is refused while it unpacks', async () => {
  const bomb = await zipOf([{ name: 'rows.json', data: Buffer.alloc(10_000_000), isPacked: true }])
  await assert.rejects(readAll(bomb, 100_000), { ...refused, message: /"rows.json" would become unreasonably large/ })
})

test('a streamed entry whose compressed data ends early is refused and reads nothing of the next entry', async () => {
  for (const behind of [1, 1000, 100_000]) {
    const archive = await zipOf([
      { name: 'rows.json', data: randomBytes(2000), isPacked: true, behind: randomBytes(behind) },
      { name: 'files/next', data: randomBytes(2000) },
    ])
    for (const pieceBytes of [1000, 16_384, archive.length]) {
      const expected = { ...refused, message: /"rows.json" cannot be read/ }
      await assert.rejects(readAll(archive, pieceBytes), expected, `${behind} in pieces of ${pieceBytes}`)
    }
  }
})

test('an error of the stream itself is passed on unchanged', async () => {
  const archive = await zipOf(parts)
  async function* breakingOff() {
    yield archive.subarray(0, 500)
    throw new Error('the line is dead')
  }
  const entries = streamEntries(createStreamReader(breakingOff()), () => true)
  await assert.rejects(async () => {
    for await (const entry of entries) await buffer(unpacked(entry))
  }, /the line is dead/)
})
