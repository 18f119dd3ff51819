import assert from 'node:assert/strict'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { temporaryFolder } from '#tests/support/temporary-folder.ts'
import { startFakeHub } from '../testing/fake-hub.ts'
import type { HubFiles } from '../testing/tiny-hub-models.ts'
import { hubFolder, hubModelById, isComplete } from './catalog.ts'
import { fetchHubFiles } from './fetch-hub-files.ts'

const large = 'onnx/vision_model_int8.onnx'
const content = Buffer.from(Array.from({ length: 100_000 }, (_, index) => index % 251))
const files: HubFiles = new Map([
  ['config.json', Buffer.from('{}')],
  [large, content],
])

async function withHub(context: TestContext) {
  const hub = await startFakeHub(context, { siglip2: files })
  const modelsDirectory = await temporaryFolder(context)
  const model = hubModelById('siglip2')
  const path = join(hubFolder(modelsDirectory), model.repository, large)
  const fetchAll = (options: { signal?: AbortSignal; onProgress?(bytes: number): void; hubUrl?: string } = {}) =>
    fetchHubFiles({ model, hubUrl: hub.url, modelsDirectory, retryMs: 1, ...options })
  return { hub, path, fetchAll, isHere: () => isComplete(model, modelsDirectory) }
}

const isGone = (path: string) =>
  stat(path).then(
    () => false,
    () => true,
  )

test('a download that breaks off goes on at the byte where it stopped', async (context) => {
  const { hub, path, fetchAll, isHere } = await withHub(context)
  hub.misbehave(large, { do: 'break-off' })
  const steps: number[] = []
  await fetchAll({ onProgress: (bytes) => steps.push(bytes) })
  assert.equal(await isHere(), true)
  assert.ok((await readFile(path)).equals(content))
  const [, first, second, ...more] = hub.asked
  assert.equal(first, large)
  assert.match(second!, /^onnx\/vision_model_int8\.onnx from [1-9]\d*$/)
  assert.deepEqual(more, [])
  assert.equal(steps.at(-1), 100_002)
})

test('a hub that always begins again and breaks off is given up', async (context) => {
  const { hub, fetchAll, isHere } = await withHub(context)
  const unequal = Array.from({ length: 40 }, (_, index) => ({
    do: 'begin-again' as const,
    bytes: index % 2 ? 9e4 : 1e4,
  }))
  hub.misbehave(large, ...unequal)
  await assert.rejects(fetchAll())
  assert.equal(await isHere(), false)
})

test('files that are in the folder already are used without a network', async (context) => {
  const { hub, fetchAll, isHere } = await withHub(context)
  await fetchAll()
  await hub.close()
  await fetchAll()
  assert.equal(await isHere(), true)
})

test('a file with another hash is deleted and named', async (context) => {
  const { hub, path, fetchAll } = await withHub(context)
  hub.misbehave(large, { do: 'send', bytes: Buffer.alloc(content.length) })
  await assert.rejects(fetchAll(), { code: 'hub-file-wrong', message: /vision_model_int8\.onnx is not the file/ })
  assert.deepEqual([await isGone(path), await isGone(`${path}.part`)], [true, true])
})

test('a file that is larger than expected is not read to its end', async (context) => {
  const { hub, path, fetchAll } = await withHub(context)
  hub.misbehave(large, { do: 'send', bytes: Buffer.alloc(5_000_000) })
  await assert.rejects(fetchAll(), { code: 'hub-file-wrong', message: /larger than its 100000 bytes/ })
  assert.equal(await isGone(`${path}.part`), true)
})

test('a hub without the file is named with the setting to check', async (context) => {
  const { hub, fetchAll } = await withHub(context)
  hub.misbehave(large, { do: 'answer', status: 404 })
  await assert.rejects(fetchAll(), {
    message: /does not offer onnx\/vision_model_int8\.onnx \(status 404\)\. Check AI_HUB_URL/,
  })
})

test('a hub that answers with errors is asked six times', async (context) => {
  const { hub, fetchAll } = await withHub(context)
  hub.misbehave('config.json', ...Array.from({ length: 10 }, () => ({ do: 'answer', status: 503 }) as const))
  await assert.rejects(fetchAll(), { code: 'hub-unreachable', message: /status 503/ })
  assert.equal(hub.asked.length, 6)
})

test('a hub that cannot be reached is named', async (context) => {
  const { hub, fetchAll } = await withHub(context)
  await hub.close()
  await assert.rejects(fetchAll(), { code: 'hub-unreachable', message: /^127\.0\.0\.1:\d+ could not be reached/ })
})

test('the hub cannot redirect the server to another address inside the network', async (context) => {
  const { hub, fetchAll } = await withHub(context)
  const other = await startFakeHub(context, {})
  const redirect = { do: 'redirect', to: `${other.url}/secret` } as const
  hub.misbehave(large, ...Array.from({ length: 6 }, () => redirect))
  await assert.rejects(fetchAll(), { code: 'hub-unreachable' })
  assert.deepEqual(other.asked, [])
})

test('a canceled download keeps what it has', async (context) => {
  const { hub, path, fetchAll } = await withHub(context)
  hub.misbehave(large, { do: 'stall' })
  const stalled = hub.stalled()
  const cancel = new AbortController()
  const download = fetchAll({ signal: cancel.signal })
  await Promise.race([stalled, download])
  cancel.abort(new Error('Enough'))
  await assert.rejects(download, /Enough/)
  await fetchAll()
  assert.ok((await readFile(path)).equals(content))
})
