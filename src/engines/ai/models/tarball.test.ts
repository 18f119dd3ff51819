import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { readFromTarball } from './tarball.ts'

let directory: string
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tarball-'))
})
after(() => rm(directory, { recursive: true }))

function entry(path: string, content: Buffer | string, type = '0'): Buffer {
  const body = Buffer.from(content)
  const header = Buffer.alloc(512)
  header.write(path, 0, 100)
  header.write(body.length.toString(8).padStart(11, '0'), 124)
  header.write(type, 156)
  header.write('ustar', 257)
  return Buffer.concat([header, body, Buffer.alloc((512 - (body.length % 512)) % 512)])
}

async function pack(name: string, ...entries: Buffer[]): Promise<string> {
  const path = join(directory, name)
  await writeFile(path, gzipSync(Buffer.concat([...entries, Buffer.alloc(1024)])))
  return path
}

test('only the named files are taken, byte for byte', async () => {
  const large = Buffer.alloc(200_000, 'abcdefg')
  const tarball = await pack(
    'plain.tgz',
    entry('package/other.txt', 'not wanted'),
    entry('package/large.bin', large),
    entry('package/empty', ''),
    entry('package/small.txt', 'hello'),
  )
  const found = await readFromTarball(tarball, new Set(['package/large.bin', 'package/small.txt', 'package/absent']))
  assert.deepEqual([...found.keys()], ['package/large.bin', 'package/small.txt'])
  assert.ok(found.get('package/large.bin')?.equals(large))
  assert.equal(found.get('package/small.txt')?.toString(), 'hello')
})

test('a path too long for its header is found by its extension header', async () => {
  const path = `package/${'deep/'.repeat(30)}file.txt`
  const record = ` path=${path}\n`
  const length = record.length + String(record.length + 3).length
  const tarball = await pack('long.tgz', entry('PaxHeader/x', `${length}${record}`, 'x'), entry('package/cut', 'found'))
  const found = await readFromTarball(tarball, new Set([path]))
  assert.equal(found.get(path)?.toString(), 'found')
})

test('a link with a wanted name is no file', async () => {
  const tarball = await pack('link.tgz', entry('package/wanted', '', '2'))
  assert.equal((await readFromTarball(tarball, new Set(['package/wanted']))).size, 0)
})

test('a tarball that ends too early is refused', async () => {
  const path = await pack('cut.tgz', entry('package/a', 'x'.repeat(5000)))
  const { readFile } = await import('node:fs/promises')
  const whole = await readFile(path)
  await writeFile(path, whole.subarray(0, whole.length - 20))
  await assert.rejects(readFromTarball(path, new Set(['package/a'])))
})
