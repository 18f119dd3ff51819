import assert from 'node:assert/strict'
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { crc32 } from 'node:zlib'
import { openFilesBelow } from '#tests/support/open-files.ts'
import { type Crafted, craft, u16, u32, u64 } from './crafted-zip.fixture.ts'
import { openZip } from './read-zip.ts'
import { centralRecord, endOfDirectory } from './zip-records.ts'

const limits = {
  allowedName: /^(manifest|database)\.json$|^files\/[a-z0-9-]{1,64}$/,
  maxEntries: 10,
  maxBytes: 10_000_000,
}
const refused = { code: 'bad-archive', status: 400 }

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zip-'))
})
after(() => rm(folder, { recursive: true }))

let made = 0
async function save(archive: Buffer) {
  const path = join(folder, `${made++}.zip`)
  await writeFile(path, archive)
  return path
}

async function refuse(entries: Crafted[] | Buffer, sentence: RegExp, more = {}) {
  const path = await save(Buffer.isBuffer(entries) ? entries : craft(entries))
  await assert.rejects(openZip(path, { ...limits, ...more }), { ...refused, message: sentence })
}

async function refuseToRead(entries: Crafted[]) {
  await using zip = await openZip(await save(craft(entries)), limits)
  await assert.rejects(async () => buffer(await zip.read(zip.entries.at(-1)!)), {
    ...refused,
    message: /is damaged: "files\/a"/,
  })
}

test('stored and deflated entries of a good archive are read', async () => {
  const json = Buffer.from(JSON.stringify({ hello: 'world'.repeat(20) }))
  const path = await save(
    craft([
      { name: 'manifest.json', data: json, method: 8 },
      { name: 'files/a', data: Buffer.alloc(0) },
      { name: 'files/b' },
    ]),
  )
  await using zip = await openZip(path, limits)
  assert.deepEqual(
    zip.entries.map(({ name, bytes }) => [name, bytes]),
    [
      ['manifest.json', json.length],
      ['files/a', 0],
      ['files/b', 1],
    ],
  )
  const contents = await Promise.all(zip.entries.map(async (entry) => buffer(await zip.read(entry))))
  assert.deepEqual(contents, [json, Buffer.alloc(0), Buffer.from('x')])
})

test('entry names that lead out of the archive are refused', async () => {
  for (const name of ['../evil', 'files/../../evil', '/etc/passwd', 'C:/evil', 'files\\a', '..\\evil', 'files/..']) {
    await refuse([{ name: 'files/good' }, { name }], /does not belong/, { allowedName: /.*/s })
    await refuse([{ name: 'files/good' }, { name }], /does not belong/)
  }
})

test('entry names that are not on the list are refused', async () => {
  for (const name of [
    '',
    'files/',
    'files/a/b',
    'files/A',
    'files/a\n',
    'manifest.json ',
    'files/a\0',
    '__proto__',
    'other.json',
  ]) {
    await refuse([{ name: 'files/good' }, { name }], /does not belong/)
  }
})

test('folders and files that operating systems add when packing are skipped', async () => {
  const left = ['files/', '__MACOSX/files/._a', '.DS_Store', 'files/.DS_Store', 'files/Thumbs.db', 'desktop.ini']
  const entries = left.map((name) => ({ name, data: Buffer.alloc(0) }))
  await using zip = await openZip(await save(craft([...entries, { name: 'files/a' }])), limits)
  assert.deepEqual(
    zip.entries.map(({ name }) => name),
    ['files/a'],
  )
})

test('a second name hidden in an extra field is checked as well', async () => {
  const hidden = Buffer.from('../evil')
  const data = Buffer.from([1, ...u32(crc32('files/a')), ...hidden])
  const extra = Buffer.from([...u16(0x7075), ...u16(data.length), ...data])
  await refuse([{ name: 'files/a', extra }], /does not belong/)
})

test('a hostile name is quoted without characters that could harm a page or a terminal', async () => {
  await refuse(
    [{ name: `\u001b[31m\u202e"${'x'.repeat(500)}` }],
    /^The ZIP file contains something that does not belong in it: "[?[\]31mx]{80}…"\.$/,
  )
})

test('links, folders and devices in an archive are refused', async () => {
  for (const mode of [0o120777, 0o040755, 0o020666, 0o060666, 0o010666, 0o140666]) {
    await refuse([{ name: 'files/a', attributes: (mode << 16) >>> 0 }], /link or folder/)
  }
  await refuse([{ name: 'files/a', attributes: 0x10 }], /link or folder/)
})

test('an archive with the same name twice is refused', async () => {
  await refuse([{ name: 'files/a' }, { name: 'files/b' }, { name: 'files/a' }], /contains "files\/a" twice/)
})

test('an archive of more files than allowed is refused before its directory is read', async () => {
  await refuse(
    Array.from({ length: 11 }, (_, i) => ({ name: `files/${i}` })),
    /more files than allowed/,
  )
  await refuse(craft([{ name: 'files/a' }], { count: 60_000 }), /more files than allowed/)
})

test('encrypted entries and unknown compression methods are refused', async () => {
  await refuse([{ name: 'files/a', flags: 1, method: 8 }], /encrypted/)
  await refuse([{ name: 'files/a', flags: 0x41 }], /not a complete/)
  await refuse([{ name: 'files/a', method: 14, compressedBytes: 1 }], /compression that is not supported/)
})

test('a ZIP bomb is refused by the sizes it announces', async () => {
  await refuse([{ name: 'database.json', data: Buffer.alloc(5_000_000), method: 8 }], /unreasonably large/)
  const half = Buffer.alloc(6_000_000, 'abcdefgh')
  await refuse(
    [
      { name: 'files/a', data: half },
      { name: 'files/b', data: half },
    ],
    /larger than allowed/,
  )
})

test('a ZIP bomb that lies about its size is cut off', async () => {
  await refuseToRead([{ name: 'files/a', data: Buffer.alloc(5_000_000), method: 8, bytes: 100_000 }])
})

test('a ZIP bomb whose entries share their bytes is refused', async () => {
  await refuse(
    [
      { name: 'files/a', data: Buffer.alloc(1000, 'a') },
      { name: 'files/b', data: Buffer.alloc(1000, 'a'), offset: 0 },
    ],
    /shares its bytes/,
  )
  await refuse(
    [
      { name: 'files/a', data: Buffer.alloc(1000) },
      { name: 'files/b', data: Buffer.alloc(1000), offset: 10 },
    ],
    /shares its bytes/,
  )
})

test('false sizes in an archive are detected', async () => {
  await refuse([{ name: 'files/a', bytes: 5 }], /not a complete/)
  await refuse([{ name: 'files/a', bytes: 1_000_000, compressedBytes: 1_000_000 }], /not a complete/)
  await refuseToRead([{ name: 'files/b' }, { name: 'files/a', data: Buffer.from('long enough'), method: 8, bytes: 5 }])
  await refuseToRead([{ name: 'files/b' }, { name: 'files/a', data: Buffer.from('long enough'), method: 8, bytes: 50 }])
})

test('a wrong checksum and damaged bytes in an archive are detected', async () => {
  await refuseToRead([{ name: 'files/a', data: Buffer.from('stored'), crc: 1 }])
  await refuseToRead([{ name: 'files/a', data: Buffer.from('deflated'), method: 8, crc: 1 }])
  const archive = craft([{ name: 'files/a', data: Buffer.from('deflated '.repeat(50)), method: 8 }])
  archive.fill(0xff, 40, 45)
  await using zip = await openZip(await save(archive), limits)
  await assert.rejects(async () => buffer(await zip.read(zip.entries[0]!)), refused)
})

test('an offset at which no entry begins is detected', async () => {
  await refuseToRead([
    { name: 'files/b', data: Buffer.alloc(500) },
    { name: 'files/a', offset: 538 },
  ])
})

test('an archive that is cut anywhere, or a file that is no archive, is refused', async () => {
  const whole = craft([
    { name: 'files/a', data: Buffer.alloc(100) },
    { name: 'manifest.json', data: Buffer.from('{}') },
  ])
  for (let length = 0; length < whole.length; length++)
    await refuse(whole.subarray(0, length), /not a complete ZIP file/)
  await refuse(Buffer.concat([whole, Buffer.from('more')]), /not a complete ZIP file/)
  await refuse(Buffer.alloc(100_000, 'PK\u0005\u0006'), /not a complete ZIP file/)
  await assert.rejects(openZip(join(folder, 'missing.zip'), limits), { code: 'ENOENT' })
})

test('impossible offsets in ZIP64 records are refused', async () => {
  for (const place of [0xffffffffffffffffn, 1n << 60n, (1n << 53n) - 1n, 1n << 40n, 5n]) {
    const locator = [...u32(0x07064b50), ...u32(0), ...u64(place), ...u32(1)]
    await refuse(craft([{ name: 'files/a' }], { beforeEnd: locator }), /not a complete ZIP file/)
    const size = [...u32(0x06064b50), ...u64(44n), ...u32(0), ...u32(0), ...u32(0), ...u64(1n), ...u64(1n), ...u64(1n)]
    const offset = craft([{ name: 'files/a' }]).length - 22
    const end = [...size, ...u64(place), ...u32(0x07064b50), ...u32(0), ...u64(BigInt(offset)), ...u32(1)]
    await refuse(craft([{ name: 'files/a' }], { beforeEnd: end }), /not a complete ZIP file/)
    if (place < 1000n) continue // within the file; found out when the entry is read
    const extra = Buffer.from([...u16(1), ...u16(8), ...u64(place)])
    await refuse([{ name: 'files/a', offset: 0xffffffff, extra }], /not a complete ZIP file/)
  }
})

test('any flipped bits lead to the right bytes or to a refusal', async () => {
  const data = Buffer.from('some bytes that matter '.repeat(3))
  const whole = craft([
    { name: 'files/a', data, method: 8 },
    { name: 'files/b', data },
  ])
  for (let bit = 0; bit < whole.length * 8; bit += 3) {
    const flipped = Buffer.from(whole)
    flipped[bit >> 3]! ^= 1 << (bit & 7)
    try {
      await using zip = await openZip(await save(flipped), limits)
      for (const entry of zip.entries) assert.deepEqual(await buffer(await zip.read(entry)), data)
    } catch (error) {
      assert.equal((error as { code?: string }).code, 'bad-archive', `bit ${bit}: ${error}`)
    }
  }
})

test('a reader that stops early and one that closes too soon leave no file open', async () => {
  const data = Buffer.alloc(2_000_000, 'abc')
  const entries = [
    { name: 'files/a', data, method: 8 },
    { name: 'files/b', data },
  ]
  const zip = await openZip(await save(craft(entries)), { ...limits, maxRatio: 10_000 })
  for await (const _chunk of await zip.read(zip.entries[0]!)) break
  const pending = await Promise.all(zip.entries.map((entry) => zip.read(entry)))
  await zip.close()
  await zip.close()
  assert.ok(pending.every((stream) => stream.destroyed))
  await assert.rejects(async () => buffer(await zip.read(zip.entries[1]!)), { code: 'EBADF' })
  assert.deepEqual(await openFilesBelow(folder), [])
})

/** A file of this length with nothing but the end of a directory that lists `count` entries. */
async function saveWithCount({ count, offset, bytes }: { count: number; offset: number; bytes: number }) {
  const path = await save(Buffer.alloc(0))
  const { length } = endOfDirectory({ count, bytes: 1, offset })
  const position = bytes - length
  await using file = await open(path, 'r+')
  await file.write(endOfDirectory({ count, bytes: position - offset, offset }), 0, length, position)
  return path
}

test('an archive is refused before its entries are read if it lists more than it can hold', async () => {
  const many = { ...limits, maxEntries: 10_000_000 }
  const sentence = { ...refused, message: 'The ZIP file lists more files than its size can hold.' }
  for (const count of [20_000, 1_000_000]) {
    const tooFewBytes = await saveWithCount({ count, offset: count * 29, bytes: count * 200 })
    await assert.rejects(openZip(tooFewBytes, many), sentence)
    const noDirectory = await saveWithCount({ count, offset: count * 160, bytes: count * 200 })
    await assert.rejects(openZip(noDirectory, many), sentence)
    const empty = await saveWithCount({ count, offset: count * 100, bytes: count * 200 })
    await assert.rejects(openZip(empty, { ...many, minEntryBytes: 120 }), sentence)
    await assert.rejects(openZip(empty, many), { ...refused, message: /not a complete ZIP file/ })
  }
})

test('a million empty entries cost no memory', async () => {
  const count = 1_000_000
  const path = await save(Buffer.alloc(0))
  await using file = await open(path, 'r+')
  const record = (index: number) =>
    centralRecord({
      name: Buffer.from(`files/${String(index).padStart(64, '0')}`),
      isDeflated: false,
      modifiedAt: new Date(0),
      crc32: 0,
      bytes: 0,
      compressedBytes: 0,
      offset: index * 100,
    })
  const offset = count * 100
  let position = offset
  for (let start = 0; start < count; start += 10_000) {
    const block = Buffer.concat(Array.from({ length: 10_000 }, (_, index) => record(start + index)))
    await file.write(block, 0, block.length, position)
    position += block.length
  }
  const end = endOfDirectory({ count, bytes: position - offset, offset })
  await file.write(end, 0, end.length, position)
  const before = process.memoryUsage().rss
  const many = { ...limits, maxEntries: 10_000_000, maxBytes: 1e12, minEntryBytes: 120 }
  await assert.rejects(openZip(path, many), { ...refused, message: /more files than its size can hold/ })
  const grown = (process.memoryUsage().rss - before) / 2 ** 20
  assert.ok(grown < 100, `${Math.round(grown)} MB`)
})
