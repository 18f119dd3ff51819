import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { modelsForTests } from '../testing/models-for-tests.ts'
import { convertCities } from './cities.ts'
import { lockDirectory } from './directory-lock.ts'
import { findMissingFiles, findMissingModels, installModels } from './install-models.ts'
import { type LockedFile, lockedModels, modelFiles } from './lock.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'models-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const present: LockedFile = {
  package: 'no-such-package-for-tests',
  version: '0.0.0',
  path: 'package/present.txt',
  sha256: sha256('present'),
  licence: 'MIT',
  origin: 'a test',
  transform: 'copy',
  makes: [{ file: 'present.txt', bytes: 7, sha256: sha256('present') }],
}

test('every file that the provider opens is in the lock, with its licence and origin', () => {
  const made = lockedModels.flatMap(({ makes }) => makes.map(({ file }) => file))
  assert.deepEqual(made.toSorted(), Object.values(modelFiles).toSorted())
  for (const { licence, origin } of lockedModels) assert.ok(licence && origin)
})

test('every origin and licence is named in NOTICE', async () => {
  const notice = await readFile(new URL('../../../../NOTICE', import.meta.url), 'utf8')
  for (const { package: name, version, licence } of lockedModels) {
    assert.ok(notice.includes(`${name}@${version}`), `${name} is missing`)
    assert.ok(notice.includes(licence), `${licence} is missing`)
  }
})

test('the installed models are complete, and a second run changes nothing', async () => {
  const models = await modelsForTests()
  assert.deepEqual(await findMissingModels(models), [])
  const messages: string[] = []
  await installModels({ directory: models, onProgress: ({ message }) => messages.push(message) })
  assert.deepEqual(messages, [])
})

test('an empty directory misses every file, and the AI needs all but the optional ones', async () => {
  assert.deepEqual((await findMissingFiles(directory)).toSorted(), Object.values(modelFiles).toSorted())
  const optional = new Set(await findMissingFiles(directory)).difference(new Set(await findMissingModels(directory)))
  assert.deepEqual([...optional], [modelFiles.faceDetector, modelFiles.saliency])
})

test('a model file with the right hash is not downloaded again', async () => {
  await writeFile(join(directory, 'present.txt'), 'present')
  await installModels({ directory, files: [present] })
  assert.deepEqual(await readdir(directory), ['present.txt'])
})

test('an aborted installation leaves nothing behind', async () => {
  await writeFile(join(directory, 'present.txt'), 'changed')
  const abort = AbortSignal.abort(new Error('stopped'))
  await assert.rejects(installModels({ directory, files: [present], signal: abort }), /stopped/)
  assert.deepEqual(await readdir(directory), ['present.txt'])
})

test('one process at a time holds the lock of a directory, and an abandoned lock is taken over', async () => {
  const order: string[] = []
  const first = await lockDirectory(directory)
  const second = lockDirectory(directory).then((lock) => {
    order.push('second has it')
    return lock
  })
  order.push('first lets go')
  await first[Symbol.asyncDispose]()
  await (await second)[Symbol.asyncDispose]()
  assert.deepEqual(order, ['first lets go', 'second has it'])

  const abandoned = join(directory, 'left')
  await mkdir(abandoned)
  await writeFile(join(abandoned, '.lock'), '')
  const longAgo = new Date(Date.now() - 3_600_000)
  await utimes(join(abandoned, '.lock'), longAgo, longAgo)
  await (await lockDirectory(abandoned))[Symbol.asyncDispose]()
  assert.deepEqual(await readdir(abandoned), [])
})

test('of several who find an abandoned lock only one takes it over', async () => {
  const longAgo = new Date(Date.now() - 3_600_000)
  for (let round = 0; round < 100; round++) {
    await writeFile(join(directory, '.lock'), '')
    await utimes(join(directory, '.lock'), longAgo, longAgo)
    const others = new AbortController()
    const attempts = Array.from({ length: 12 }, () => lockDirectory(directory, others.signal))
    await Promise.any(attempts)
    others.abort()
    const held = (await Promise.allSettled(attempts)).filter(({ status }) => status === 'fulfilled')
    assert.equal(held.length, 1, `round ${round}`)
    for (const attempt of attempts) await attempt.then((lock) => lock[Symbol.asyncDispose]()).catch(() => {})
  }
  assert.deepEqual(await readdir(directory), [])
})

test('packed cities become lines sorted by latitude, without parts of cities', () => {
  const city = (fields: number[]) => [fields.length, ...fields]
  const text = (field: number, value: string) => [(field << 3) | 2, value.length, ...Buffer.from(value)]
  const zigzag = (value: number) => (value < 0 ? -2 * value - 1 : 2 * value)
  const place = (name: string, kind: string, longitude: number, latitude: number) =>
    city([...text(2, name), ...text(3, 'XX'), ...text(7, kind), 72, 5, 80, zigzag(longitude), 88, zigzag(latitude)])
  const packed = [
    ...place('North', 'PPL', 10, 40),
    ...place('Quarter', 'PPLX', 1, 1),
    ...place('South', 'PPL', -5, -60),
  ]
  assert.equal(
    convertCities(Uint8Array.from(packed)).toString(),
    'South\tXX\t-0.00019\t0.00006\t5\nNorth\tXX\t0.0004\t0.0001\t5\n',
  )
})
