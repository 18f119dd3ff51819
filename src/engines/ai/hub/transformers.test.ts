import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '#tests/support/temporary-folder.ts'
import { speechModelForTests } from '../testing/models-for-tests.ts'
import { hubFolder } from './catalog.ts'
import { loadTransformers, openOptions } from './transformers.ts'

type Speech = {
  (sound: Float32Array): Promise<Record<string, unknown>>
  generate(inputs: unknown): Promise<{ tolist(): bigint[][] }>
  dispose(): Promise<unknown>
  decode(tokens: bigint[], options: unknown): string
}
type Library = Record<string, { from_pretrained(repository: string, options: unknown): Promise<Speech> }>

test('a real model in the layout of the hub is read from the folder, runs on our runtime, and writes a text', async (context) => {
  const modelsDirectory = await temporaryFolder(context)
  const repository = 'Xenova/whisper-tiny'
  for (const [path, bytes] of await speechModelForTests()) {
    const target = join(hubFolder(modelsDirectory), repository, path)
    await mkdir(dirname(target), { recursive: true })
    await writeFile(target, bytes)
  }
  const library = (await loadTransformers(modelsDirectory)) as unknown as Library
  const options = { ...openOptions, dtype: 'q8' }
  const [hear, model, tokenizer] = await Promise.all([
    library.AutoProcessor!.from_pretrained(repository, options),
    library.AutoModelForSpeechSeq2Seq!.from_pretrained(repository, options),
    library.AutoTokenizer!.from_pretrained(repository, options),
  ])
  const silence = new Float32Array(16_000)
  const tokens = await model!.generate({ ...(await hear!(silence)), max_new_tokens: 8 })
  await model!.dispose()
  const [sentence] = tokens.tolist()
  assert.match(tokenizer!.decode(sentence!, { skip_special_tokens: false }), /^<\|startoftranscript\|>/)
})

test('the library for larger models shares our runtime and cannot use the network', async (context) => {
  const lock = JSON.parse(await readFile(new URL('../../../../package-lock.json', import.meta.url), 'utf8'))
  const copies = Object.keys(lock.packages).filter((path) => /(^|\/)(onnxruntime-(node|web)|sharp)$/.test(path))
  assert.deepEqual(copies.sort(), [
    'node_modules/onnxruntime-node',
    'node_modules/onnxruntime-web',
    'node_modules/sharp',
  ])
  const { AutoProcessor, env } = await loadTransformers(await temporaryFolder(context))
  await assert.rejects(AutoProcessor.from_pretrained('somewhere/else'), /not found locally/)
  await assert.rejects((env.fetch as () => Promise<unknown>)(), /uses no network/)
})
