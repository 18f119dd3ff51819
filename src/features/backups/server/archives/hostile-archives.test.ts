import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { crc32, deflateRawSync } from 'node:zlib'
import { createZip } from '#engines/archive/write-zip.ts'
import { multipart } from '#tests/support/multipart.ts'
import { type TestApp, testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import { openPacked } from '../folder/snapshots.ts'
import { sweepBackups } from '../sweep.ts'

type Part = { name: string; bytes: Buffer; mode?: number; isDeflated?: boolean; claimedBytes?: number }

/** A ZIP file without any checks, so that names, types and sizes can be hostile. */
function rawZip(parts: Part[]) {
  const chunks: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, bytes, mode = 0o100644, isDeflated = false, claimedBytes } of parts) {
    const data = isDeflated ? deflateRawSync(bytes) : bytes
    const sizes = [crc32(bytes), data.length, claimedBytes ?? bytes.length]
    const local = Buffer.alloc(30)
    local.writeUInt32LE(0x04034b50, 0)
    local.writeUInt16LE(20, 4)
    local.writeUInt16LE(isDeflated ? 8 : 0, 8)
    for (const [index, size] of sizes.entries()) local.writeUInt32LE(size, 14 + index * 4)
    local.writeUInt16LE(Buffer.byteLength(name), 26)
    const central = Buffer.alloc(46)
    central.writeUInt32LE(0x02014b50, 0)
    central.writeUInt16LE((3 << 8) | 20, 4)
    central.writeUInt16LE(20, 6)
    central.writeUInt16LE(isDeflated ? 8 : 0, 10)
    for (const [index, size] of sizes.entries()) central.writeUInt32LE(size, 16 + index * 4)
    central.writeUInt16LE(Buffer.byteLength(name), 28)
    central.writeUInt32LE((mode << 16) >>> 0, 38)
    central.writeUInt32LE(offset, 42)
    chunks.push(local, Buffer.from(name), data)
    directory.push(central, Buffer.from(name))
    offset += local.length + Buffer.byteLength(name) + data.length
  }
  const end = Buffer.alloc(22)
  const directoryBytes = Buffer.concat(directory)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(parts.length, 8)
  end.writeUInt16LE(parts.length, 10)
  end.writeUInt32LE(directoryBytes.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...chunks, directoryBytes, end])
}

/** A ZIP in our own layout, which is read during the upload, with arbitrary contents. */
const ownZip = (parts: Part[]) =>
  buffer(
    createZip(
      parts.map(({ name, bytes }) => ({
        name,
        bytes: bytes.length,
        isDeflated: false,
        open: async () => Readable.from([bytes]),
      })),
    ),
  )

/** Sends in small pieces, as a browser does. */
function upload(admin: TestUser, bytes: Uint8Array) {
  const { payload, headers } = multipart([{ name: 'backup.zip', bytes }], {}, 'backup')
  function* pieces() {
    for (let at = 0; at < payload.length; at += 65_536) yield payload.subarray(at, at + 65_536)
  }
  return admin.send({ method: 'POST', url: '/api/admin/backup/upload', payload: Readable.from(pieces()), headers })
}

async function filesBelow(folder: string) {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  return found.filter((entry) => entry.isFile()).map(({ name }) => name)
}

/** The parts of a real library's archive, to be modified. */
async function partsOf({ services }: TestApp, admin: TestUser) {
  const { backup } = (await admin.post('/api/admin/backups/create')).json()
  const manifest = (await services.backupFolder.readManifest(backup.id))!
  const database = await buffer(openPacked(services.backupFolder.documentPath(backup.id)))
  const files: Part[] = []
  for (const { blob } of await services.db.selectFrom('media').select('blob').distinct().execute()) {
    files.push({ name: `files/${blob}`, bytes: await buffer((await services.storage.open(blob)).stream) })
  }
  await admin.delete(`/api/admin/backups/${backup.id}`)
  return {
    files,
    database: { name: 'database.json', bytes: database } as Part,
    manifest: { name: 'manifest.json', bytes: Buffer.from(JSON.stringify(manifest)) } as Part,
    withDatabase(text: string): Part[] {
      const bytes = Buffer.from(text)
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      const changed = { ...manifest, database: { bytes: bytes.length, sha256 } }
      return [
        { name: 'manifest.json', bytes: Buffer.from(JSON.stringify(changed)) },
        { name: 'database.json', bytes },
        ...files,
      ]
    },
  }
}

/** A library with these images, and the parts of its complete backup. */
async function withArchive(context: TestContext, ...names: string[]) {
  const product = await testApp(context)
  const admin = await product.register()
  for (const name of names) await admin.addPicture(name)
  await product.settled()
  return { product, admin, ...(await partsOf(product, admin)) }
}

test('hostile and damaged archives are refused and change nothing', async (context) => {
  const { product, admin, manifest, database, files, withDatabase } = await withArchive(context, 'one.jpg', 'two.jpg')
  const good = [manifest, database, ...files]
  const text = database.bytes.toString()
  const other = createHash('sha256').update('other').digest('hex')
  const [zip, own] = [rawZip(good), await ownZip(good)]
  const spoiled = (name: string, bytes: Buffer) => good.map((part) => (part.name === name ? { ...part, bytes } : part))
  const hostile: Record<string, Uint8Array> = {
    'no archive at all': Buffer.from('hello'),
    'an empty file': Buffer.alloc(0),
    'an empty archive': rawZip([]),
    'cut off': zip.subarray(0, zip.length - 40),
    'cut in the middle': zip.subarray(0, zip.length >> 1),
    'a path that leads out': rawZip([...good, { name: '../../evil', bytes: Buffer.from('x') }]),
    'an absolute path': rawZip([...good, { name: '/etc/evil', bytes: Buffer.from('x') }]),
    'a path of Windows': rawZip([...good, { name: 'files\\evil', bytes: Buffer.from('x') }]),
    'a symbolic link': rawZip([
      manifest,
      database,
      { ...files[0]!, bytes: Buffer.from('/etc/passwd'), mode: 0o120777 },
      ...files.slice(1),
    ]),
    'a name twice': rawZip([...good, files[0]!]),
    'a bomb': rawZip([
      manifest,
      { name: 'database.json', bytes: Buffer.alloc(64 * 1024 * 1024, ' '), isDeflated: true },
      ...files,
    ]),
    'a size that lies': rawZip([manifest, { ...database, isDeflated: true, claimedBytes: 10 }, ...files]),
    'no manifest': rawZip([database, ...files]),
    'no database': rawZip([manifest, ...files]),
    'a manifest that is no JSON': rawZip([{ name: 'manifest.json', bytes: Buffer.from('{') }, database, ...files]),
    'a manifest of something else': rawZip([
      { name: 'manifest.json', bytes: Buffer.from('{"format":"photos"}') },
      database,
      ...files,
    ]),
    'a manifest of other rows': rawZip([manifest, { ...database, bytes: Buffer.from(`${text}\n`) }, ...files]),
    'a manifest that counts wrongly': rawZip([
      { name: 'manifest.json', bytes: Buffer.from(manifest.bytes.toString().replace('"media":2', '"media":3')) },
      database,
      ...files,
    ]),
    'a missing file': rawZip(good.slice(0, -1)),
    'two folders': rawZip([
      { ...manifest, name: 'a/manifest.json' },
      ...[database, ...files].map((part) => ({ ...part, name: `b/${part.name}` })),
    ]),
    'a folder above': rawZip([manifest, database, ...files].map((part) => ({ ...part, name: `../${part.name}` }))),
    'a file too many': rawZip([...good, { name: `files/${other}`, bytes: Buffer.from('x') }]),
    'other bytes under a good name': rawZip([
      ...good.slice(0, -1),
      { name: files.at(-1)!.name, bytes: Buffer.alloc(files.at(-1)!.bytes.length) },
    ]),
    'rows that are damaged': rawZip(withDatabase(text.replace('"filename":"one.jpg"', '"filename":1'))),
    'an item that is a page': rawZip(withDatabase(text.replace('"mime_type":"image/jpeg"', '"mime_type":"text/html"'))),
    'rows that point nowhere': rawZip(withDatabase(text.replace(/"owner_id":\d+/, '"owner_id":99'))),
    'an item without its file': rawZip(withDatabase(text.replace(/"blob":"[0-9a-f]{64}"/, `"blob":"${other}"`))),
  }
  const hostileOfOurs: Record<string, Uint8Array> = {
    'cut off': own.subarray(0, own.length - 40),
    'cut in its rows': own.subarray(0, manifest.bytes.length + 200),
    'cut in the middle': own.subarray(0, own.length >> 1),
    'something behind its end': Buffer.concat([own, Buffer.from('x')]),
    'another order': await ownZip([database, manifest, ...files]),
    'no database': await ownZip([manifest, ...files]),
    'a manifest that is no JSON': await ownZip(spoiled('manifest.json', Buffer.from('{'))),
    'a manifest that is too long': await ownZip(
      spoiled('manifest.json', Buffer.concat([manifest.bytes, Buffer.alloc(70_000, ' ')])),
    ),
    'a manifest that is no JSON, long before its end': await ownZip([
      { ...manifest, bytes: Buffer.from('{') },
      { name: `files/${other}`, bytes: Buffer.alloc(5_000_000) },
    ]),
    'a manifest that was changed on its way': Buffer.from(
      own.toString('latin1').replace('"verifiedAt":"2', '"verifiedAt":"3'),
      'latin1',
    ),
    'a manifest of other rows': await ownZip(spoiled('database.json', Buffer.from(`${text}\n`))),
    'a missing file': await ownZip(good.slice(0, -1)),
    'a name twice': await ownZip([...good, files[0]!]),
    'a file too many': await ownZip([...good, { name: `files/${other}`, bytes: Buffer.from('x') }]),
    'a path that leads somewhere': await ownZip([...good, { name: 'etc/evil', bytes: Buffer.from('x') }]),
    'a file of another length': await ownZip(spoiled(files[0]!.name, Buffer.from('x'))),
    'other bytes under a good name': await ownZip(
      spoiled(files.at(-1)!.name, Buffer.alloc(files.at(-1)!.bytes.length)),
    ),
    'rows that point nowhere': await ownZip(withDatabase(text.replace(/"owner_id":\d+/, '"owner_id":99'))),
  }
  for (const [name, bytes] of Object.entries(hostileOfOurs)) hostile[`${name}, read while it is sent`] = bytes
  const snapshot = async () => (await admin.get('/api/admin/database/download')).body.split('"tables"')[1]
  const before = await snapshot()
  for (const [name, bytes] of Object.entries(hostile)) {
    // Without the blobs of other backups, the archive must contain them all.
    await sweepBackups(product.services, -60_000)
    const answer = await upload(admin, bytes)
    assert.equal(answer.statusCode, 400, `${name}: ${answer.body}`)
    assert.match(answer.json().message, /\w+ \w+.*\.$/, name)
    assert.equal(await snapshot(), before, name)
    for (const folder of ['tmp', 'blobs'])
      assert.deepEqual(await filesBelow(join(product.directory, 'backups', folder)), [], name)
    assert.equal((await admin.get('/api/admin/backups/restore-progress')).json().isRestoring, false, name)
  }
  assert.deepEqual((await admin.get('/api/admin/backups')).json().backups, [], 'none of them is listed')
  for (const bytes of [zip, own]) {
    await sweepBackups(product.services, -60_000)
    assert.equal((await upload(admin, bytes)).statusCode, 200, 'the same archive unspoiled is taken')
  }
})

test('an archive that was unpacked and packed again on a Mac is accepted', async (context) => {
  const { product, admin, manifest, database, files } = await withArchive(context, 'one.jpg')
  await sweepBackups(product.services, -60_000)
  const folder = (name: string): Part => ({ name, bytes: Buffer.alloc(0), mode: 0o040755 })
  const note = Buffer.from('what Finder remembers')
  const repacked = rawZip([
    folder('albumen-backup/'),
    { name: 'albumen-backup/.DS_Store', bytes: note },
    { name: '__MACOSX/albumen-backup/._.DS_Store', bytes: note },
    folder('albumen-backup/files/'),
    ...[database, ...files, manifest].map((part) => ({
      ...part,
      name: `albumen-backup/${part.name}`,
      isDeflated: true,
    })),
  ])
  const answer = await upload(admin, repacked)
  assert.deepEqual([answer.statusCode, answer.json().message], [200, 'The backup was restored.'], answer.body)
  assert.equal((await admin.get('/api/media')).json().media.length, 1)
})

test('an uploaded backup is listed with its actual counts, even if its manifest is wrong', async (context) => {
  const { product, admin, manifest, database, files } = await withArchive(context, 'one.jpg')
  const given = JSON.parse(manifest.bytes.toString())
  const lies = {
    files: 9,
    missingFiles: 7,
    fileBytes: -5,
    newBytes: 10 ** 12,
    database: { ...given.database, bytes: 1 },
  }
  const bytes = Buffer.from(JSON.stringify({ ...given, ...lies }))
  await sweepBackups(product.services, -60_000)
  const answer = await upload(admin, rawZip([{ ...manifest, bytes }, database, ...files]))
  assert.deepEqual(
    [answer.statusCode, answer.json().message, answer.json().missingFiles],
    [200, 'The backup was restored.', 0],
    answer.body,
  )
  const { backups } = (await admin.get('/api/admin/backups')).json()
  const { size, newBytes, missingCount } = backups.find(({ note }: { note: string }) => note === 'Uploaded')
  const held = database.bytes.length + files[0]!.bytes.length
  assert.deepEqual({ size, newBytes, missingCount }, { size: held, newBytes: held, missingCount: 0 })
})

test('an archive of empty files is refused for their number', async (context) => {
  const { admin, manifest, database } = await withArchive(context, 'one.jpg')
  const empty = Array.from({ length: 20_000 }, (_, index): Part => {
    return { name: `files/${String(index).padStart(64, '0')}`, bytes: Buffer.alloc(0) }
  })
  const answer = await upload(admin, rawZip([manifest, database, ...empty]))
  assert.equal(answer.statusCode, 400, answer.body)
  assert.equal(answer.json().message, 'The ZIP file lists more files than its size can hold.')
})
