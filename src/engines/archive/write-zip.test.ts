import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdtemp, open, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { after, before, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { crc32, deflateRawSync } from 'node:zlib'
import { openZip } from './read-zip.ts'
import { createZip, measureZip, type ZipSource } from './write-zip.ts'
import { centralRecord, dataDescriptor, endOfDirectory, localHeader } from './zip-records.ts'

let folder: string
let path: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zip-'))
  path = join(folder, 'a.zip')
})
after(() => rm(folder, { recursive: true }))

const limits = { allowedName: /./, maxEntries: 200_000, maxBytes: 1e12 }
const file = (name: string, data: Buffer): ZipSource => ({
  name,
  bytes: data.length,
  open: async () => Readable.from(data.length > 0 ? [data] : []),
})
const save = (sources: Iterable<ZipSource> | AsyncIterable<ZipSource>) =>
  pipeline(createZip(sources), createWriteStream(path))

test('an archive is read back byte for byte, with media stored and JSON deflated', async () => {
  const contents = new Map([
    ['manifest.json', Buffer.from(JSON.stringify({ rows: Array(500).fill('row') }))],
    ['files/photo', randomBytes(300_000)],
    ['files/empty', Buffer.alloc(0)],
    ['files/Évening – 夕方 🌇.jpg', randomBytes(10)],
    ['empty.json', Buffer.alloc(0)],
  ])
  await save([...contents].map(([name, data]) => file(name, data)))
  await using zip = await openZip(path, limits)
  assert.deepEqual(
    zip.entries.map(({ name }) => name),
    [...contents.keys()],
  )
  assert.deepEqual(
    zip.entries.map(({ isDeflated }) => isDeflated),
    [true, false, false, false, true],
  )
  assert.ok(zip.entries[0]!.compressedBytes < 200)
  for (const entry of zip.entries) assert.deepEqual(await buffer(await zip.read(entry)), contents.get(entry.name))
})

test('an entry that is already deflated is written as it is, with the checksum of its unpacked bytes', async () => {
  const plain = Buffer.from(JSON.stringify({ rows: randomBytes(100_000).toString('hex') }))
  const packed = deflateRawSync(plain)
  const entry = {
    name: 'rows.json',
    bytes: plain.length,
    packed: { bytes: packed.length, crc32: crc32(plain) },
    open: async () => Readable.from([packed]),
  }
  await save([entry, file('files/after', Buffer.from('after'))])
  await using zip = await openZip(path, limits)
  assert.deepEqual(
    zip.entries.map(({ bytes, compressedBytes, isDeflated }) => ({ bytes, compressedBytes, isDeflated })),
    [
      { bytes: plain.length, compressedBytes: packed.length, isDeflated: true },
      { bytes: 5, compressedBytes: 5, isDeflated: false },
    ],
  )
  assert.deepEqual(await buffer(await zip.read(zip.entries[0]!)), plain)
  assert.equal(String(await buffer(await zip.read(zip.entries[1]!))), 'after')

  for (const bytes of [packed.length - 1, packed.length + 1]) {
    const cut = { ...entry, packed: { ...entry.packed, bytes } }
    await assert.rejects(save([cut]), new RegExp(`Expected ${bytes} bytes in rows.json`))
  }
})

test('a source receives the checksum of its bytes and may abort the archive', async () => {
  const data = randomBytes(300_000)
  const told: number[] = []
  const onRead = (sum: number) => void told.push(sum)
  await save([
    { ...file('files/a', data), onRead },
    { ...file('files/empty', Buffer.alloc(0)), onRead },
  ])
  assert.deepEqual(told, [crc32(data), 0])
  const refuse = async () => Promise.reject(new Error('other bytes'))
  await assert.rejects(save([{ ...file('files/a', data), onRead: refuse }, file('files/b', data)]), /other bytes/)
})

test('the length of an archive is known before it is written', async () => {
  async function* sources() {
    yield { ...file('manifest.json', Buffer.from('{}')), isDeflated: false }
    for (let i = 0; i < 600; i++) yield file(`files/Évening ${i}`, randomBytes(i))
  }
  await save(sources())
  assert.equal(await measureZip(sources()), (await stat(path)).size)
  await save([])
  assert.equal(await measureZip((async function* () {})()), (await stat(path)).size)
})

test('an empty archive is valid', async () => {
  await save([])
  await using zip = await openZip(path, limits)
  assert.deepEqual(zip.entries, [])
})

test('entries may come from an asynchronous source and are opened one at a time', async () => {
  let open = 0
  let most = 0
  async function* sources(): AsyncGenerator<ZipSource> {
    for (let i = 0; i < 5; i++) {
      yield {
        name: `files/${i}`,
        bytes: 3,
        async open() {
          most = Math.max(most, ++open)
          return Readable.from([Buffer.from('abc')]).once('close', () => open--)
        },
      }
    }
  }
  await save(sources())
  assert.equal(most, 1)
  await using zip = await openZip(path, limits)
  assert.equal(zip.entries.length, 5)
})

test('a slow reader of an archive slows its sources down', async () => {
  let given = 0
  function* endless() {
    for (; given < 1000; given++) yield Buffer.alloc(64 * 1024)
  }
  const zip = createZip([{ name: 'files/a', bytes: 1000 * 64 * 1024, open: async () => Readable.from(endless()) }])
  zip.once('readable', () => {})
  for (let turn = 0; turn < 200; turn++) await setImmediate()
  assert.ok(given < 30, `${given} chunks were taken although no client read`)
  zip.destroy()
})

test('a failing source destroys the archive', async () => {
  async function* failing() {
    yield Buffer.alloc(10)
    throw new Error('disk error')
  }
  for (const name of ['files/a', 'a.json']) {
    await assert.rejects(save([{ name, bytes: 20, open: async () => Readable.from(failing()) }]), /disk error/)
  }
  await assert.rejects(
    save([{ name: 'files/a', bytes: 1, open: () => Promise.reject(new Error('not found')) }]),
    /not found/,
  )
  async function* sources(): AsyncGenerator<ZipSource> {
    yield file('files/a', Buffer.alloc(1))
    throw new Error('database gone')
  }
  await assert.rejects(save(sources()), /database gone/)
})

test('a source that is longer or shorter than announced destroys the archive', async () => {
  for (const name of ['files/a', 'a.json']) {
    for (const bytes of [9, 11]) {
      await assert.rejects(
        save([{ ...file(name, Buffer.alloc(10)), bytes }]),
        /Expected (9|11) bytes/,
        `${name} ${bytes}`,
      )
    }
  }
})

test('a reader of an archive that disconnects closes the source, even one that sends nothing', async () => {
  for (const name of ['files/a', 'a.json']) {
    const silent = new Readable({ read() {} })
    let isOpen = false
    let isFinished = false
    async function* sources(): AsyncGenerator<ZipSource> {
      try {
        yield {
          name,
          bytes: 10,
          async open() {
            isOpen = true
            return silent
          },
        }
      } finally {
        isFinished = true
      }
    }
    const zip = createZip(sources())
    zip.resume()
    while (!isOpen) await setImmediate()
    zip.destroy()
    while (!silent.destroyed || !isFinished) await setImmediate()
    assert.ok(zip.destroyed)
  }
})

test('entry names that a careful reader would refuse are not written', async () => {
  for (const name of [
    '',
    '/a',
    '../a',
    'a/../b',
    'a//b',
    './a',
    'a/',
    'a\\b',
    'C:/a',
    'a\nb',
    'a\0',
    'x'.repeat(70_000),
  ]) {
    await assert.rejects(
      save([file(name, Buffer.alloc(1))]),
      /Expected a relative path/,
      JSON.stringify(name.slice(0, 9)),
    )
  }
})

test('thousands of small files are written and read back', async () => {
  function* sources() {
    for (let i = 0; i < 3000; i++) yield file(`files/${i}`, Buffer.from(String(i)))
  }
  await save(sources())
  await using zip = await openZip(path, limits)
  assert.equal(zip.entries.length, 3000)
  for (const i of [0, 511, 512, 2999]) assert.equal(String(await buffer(await zip.read(zip.entries[i]!))), String(i))
})

test('more than 65,535 entries are written as ZIP64', async () => {
  const count = 65_600
  const local: Buffer[] = []
  const central: Buffer[] = []
  let offset = 0
  for (let i = 0; i < count; i++) {
    const data = Buffer.from(String(i))
    const sizes = { bytes: data.length, compressedBytes: data.length, crc32: crc32(data) }
    const record = { name: Buffer.from(`files/${i}`), isDeflated: false, modifiedAt: new Date(), offset, ...sizes }
    const header = localHeader({ ...record, followingBytes: data.length })
    const parts = Buffer.concat([header, data, dataDescriptor(record)])
    local.push(parts)
    central.push(centralRecord(record))
    offset += parts.length
  }
  const directory = Buffer.concat(central)
  const end = endOfDirectory({ count, bytes: directory.length, offset })
  await writeFile(path, Buffer.concat([...local, directory, end]))
  async function* records() {
    for (let i = 0; i < count; i++) yield { name: `files/${i}`, bytes: String(i).length }
  }
  assert.equal(await measureZip(records()), (await stat(path)).size)
  await using zip = await openZip(path, limits)
  assert.equal(zip.entries.length, count)
  assert.equal(String(await buffer(await zip.read(zip.entries.at(-1)!))), String(count - 1))
})

test('a file over 4 GiB and the entries after it are written as ZIP64', async () => {
  const zeros = Buffer.alloc(4 * 1024 * 1024)
  const largeBytes = 1025 * zeros.length
  function* manyZeros() {
    for (let i = 0; i < 1025; i++) yield zeros
  }
  const sources = [
    { name: 'files/large', bytes: largeBytes, open: async () => Readable.from(manyZeros()) },
    file('files/after', Buffer.from('after')),
  ]
  const archive = createZip(sources)
  // The file has a hole in place of the zeros, so the archive is complete without taking 4 GiB of disk.
  const handle = await open(path, 'w')
  let position = 0
  for await (const chunk of archive as AsyncIterable<Buffer>) {
    if (chunk.length < zeros.length) await handle.write(chunk, 0, chunk.length, position)
    position += chunk.length
  }
  await handle.close()
  assert.equal(await measureZip(Readable.from(sources)), position)

  await using zip = await openZip(path, limits)
  assert.deepEqual(
    zip.entries.map(({ name, bytes }) => [name, bytes]),
    [
      ['files/large', largeBytes],
      ['files/after', 5],
    ],
  )
  assert.ok(zip.entries[1]!.offset > 0xffffffff)
  assert.equal(String(await buffer(await zip.read(zip.entries[1]!))), 'after')
  for await (const chunk of await zip.read(zip.entries[0]!)) {
    assert.deepEqual(chunk, zeros.subarray(0, chunk.length))
    break // the rest is more of the same, and would fill the machine's cache
  }
})
