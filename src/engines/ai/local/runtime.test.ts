import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { modelFiles } from '../models/lock.ts'
import { modelsForTests } from '../testing/models-for-tests.ts'
import { loadModel, loadRuntime } from './runtime.ts'

test('the WebAssembly runtime steps in where the native one is missing, and answers alike', async () => {
  const path = join(await modelsForTests(), modelFiles.textEmbedding)
  const row = (...values: bigint[]) => ({
    type: 'int64' as const,
    data: BigInt64Array.from(values),
    dims: [1, values.length],
  })
  const feeds = { input_ids: row(101n, 3899n, 102n), attention_mask: row(1n, 1n, 1n), token_type_ids: row(0n, 0n, 0n) }
  const answers: Float32Array[] = []
  for (const names of [['onnxruntime-node'], ['no-such-runtime', 'onnxruntime-web']]) {
    const model = await loadModel(path, await loadRuntime(names))
    const { last_hidden_state: hidden } = await model.run(feeds)
    answers.push(hidden!.data)
    await model.release()
  }
  const [native, web] = answers as [Float32Array, Float32Array]
  assert.equal(native.length, 3 * 384)
  const largestDifference = native.reduce((most, value, index) => Math.max(most, Math.abs(value - web[index]!)), 0)
  assert.ok(largestDifference < 0.1, `received ${largestDifference}`)
})

test('a machine without any runtime is told what to install', async () => {
  await assert.rejects(loadRuntime(['no-such-runtime']), { code: 'runtime-missing', message: /npm ci/ })
})

test('the native runtime stores no device id, since its telemetry is off', async (t) => {
  const home = await mkdtemp(join(tmpdir(), 'runtime-home-'))
  t.after(() => rm(home, { recursive: true }))
  const model = join(await modelsForTests(), modelFiles.textDetector)
  const program = `
    import { loadModel } from ${JSON.stringify(new URL('./runtime.ts', import.meta.url).href)}
    await (await loadModel(${JSON.stringify(model)})).release()`
  // Nothing else of this environment: on a build server the runtime would keep quiet by itself.
  const env = { HOME: home, XDG_CACHE_HOME: join(home, 'cache') }
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], { env })
  assert.deepEqual(await readdir(home), [])
})
