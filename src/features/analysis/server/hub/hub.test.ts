import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, type TestContext, test } from 'node:test'
import { type HubModelId, hubFolder, hubModelById } from '#engines/ai/hub/catalog.ts'
import { startFakeHub } from '#engines/ai/testing/fake-hub.ts'
import { modelsForTests } from '#engines/ai/testing/models-for-tests.ts'
import { examinationPicture, makeTinyModel } from '#engines/ai/testing/tiny-hub-models.ts'
import { onOneDatabase } from '#tests/support/postgres.ts'
import { temporaryFolder } from '#tests/support/temporary-folder.ts'
import { type TestApp, testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import { until } from '#tests/support/until.ts'
import type { HubModelState } from '../../contract.ts'
import { uploadWithAi } from '../analysis.fixture.ts'

let builtIn: string

before(async () => {
  builtIn = await modelsForTests()
})

type Tiny = Parameters<typeof makeTinyModel>[1]

/** A product with the built-in AI and a hub on this machine. */
async function withHub(context: TestContext, models: Partial<Record<HubModelId, Tiny>>) {
  const made = Object.entries(models).map(
    async ([id, options]) => [id, await makeTinyModel(id as HubModelId, options)] as const,
  )
  const hub = await startFakeHub(context, Object.fromEntries(await Promise.all(made)))
  const directory = await temporaryFolder(context)
  for (const file of await readdir(builtIn)) {
    if (file !== 'hub') await symlink(join(builtIn, file), join(directory, file))
  }
  const product = await testApp(context, { AI_LOCAL: '1', AI_MODELS_DIR: directory, AI_HUB_URL: hub.url })
  return { hub, product, directory, admin: await product.register() }
}

const stateOf = async (admin: TestUser, id: HubModelId): Promise<HubModelState> =>
  (await admin.get('/api/admin/ai')).json().hub.find((model: HubModelState) => model.id === id)

async function setUp({ settled }: TestApp, admin: TestUser, id: HubModelId) {
  assert.equal((await admin.post(`/api/admin/ai/hub-models/${id}`)).statusCode, 200)
  await settled()
  return stateOf(admin, id)
}

const picture = (file: string) => readFile(examinationPicture(file))

onOneDatabase(
  'an administrator adds a larger model: it is fetched, examined and used, items are analyzed again, and all of it can be reverted',
  async (context) => {
    const { product, admin } = await withHub(context, { siglip2: {}, florence2: {} })
    const user = await product.register()
    const cat = await uploadWithAi(product, user, 'cat.jpg', await picture('tabby-cat.jpg'))
    const snake = await uploadWithAi(product, user, 'snake.jpg', await picture('green-snake.jpg'))
    assert.match(cat.aiModel, /efficientnet/)
    await user.patch(`/api/media/${snake.id}`, { aiDescription: 'Our Kaa', aiTags: ['pet', ...snake.aiTags] })
    assert.equal((await stateOf(admin, 'florence2')).phase, 'off')

    const state = await setUp(product, admin, 'florence2')
    assert.equal(state.phase, 'used', state.message)
    assert.match(state.message, /^Passed: 12 of 12 descriptions/)
    const { providers } = (await admin.get('/api/admin/ai')).json()
    assert.deepEqual(
      providers.map(({ name }: { name: string }) => name),
      ['hub', 'local'],
    )
    const { verdicts } = (await admin.post('/api/admin/ai/check')).json()
    assert.deepEqual(verdicts[0], { name: 'hub', isOk: true, message: 'The models recognized a test picture.' })
    const load = async ({ id }: { id: number }) => (await user.get(`/api/media/${id}`)).json()
    assert.deepEqual([(await load(cat)).aiDescription, (await load(cat)).aiTags], ['A cat.', cat.aiTags])
    const again = await load(snake)
    assert.equal(again.aiDescription, 'Our Kaa')
    assert.ok(again.aiTags.includes('pet'))
    const fresh = await uploadWithAi(product, user, 'bee.jpg', await picture('bee-on-aster.jpg'))
    assert.equal(fresh.aiDescription, 'A bee.')

    const { runs } = (await user.get('/api/ai-runs')).json()
    assert.equal((await user.post(`/api/ai-runs/${runs[0].runId}/revert`)).statusCode, 200)
    assert.equal((await load(cat)).aiDescription, cat.aiDescription)

    assert.equal((await admin.delete('/api/admin/ai/hub-models/florence2')).statusCode, 200)
    await product.settled()
    assert.match((await load(fresh)).aiModel, /efficientnet/)
    assert.match((await load(fresh)).aiDescription, /\w/)
  },
)

test('with SigLIP in use, a search in another language finds what pictures show', async (context) => {
  const { product, admin } = await withHub(context, { siglip2: {} })
  const [ann, bob] = [await product.register(), await product.register()]
  const cat = await uploadWithAi(product, ann, '1.jpg', await picture('tabby-cat.jpg'))
  await setUp(product, admin, 'siglip2')
  const snake = await uploadWithAi(product, ann, '2.jpg', await picture('green-snake.jpg'))
  await uploadWithAi(product, bob, '3.jpg', await picture('green-snake.jpg'))
  const search = async (words: string) => {
    const { near } = (await ann.get(`/api/media?search=${encodeURIComponent(words)}`)).json()
    return (near ?? []).map(({ id }: { id: number }) => id)
  }
  await until('the model has loaded', async () => (await search('Schlange')).length > 0)
  assert.deepEqual(await search('Schlange'), [snake.id])
  assert.deepEqual(await search('eine Katze'), [cat.id], 'also pictures that were there before')
  await admin.delete('/api/admin/ai/hub-models/siglip2')
  await product.settled()
  assert.ok(!(await search('Schlange')).includes(snake.id))
})

test('searches that a busy larger model cannot answer at once are answered without it', async (context) => {
  const { product, admin } = await withHub(context, { siglip2: {} })
  const snake = await uploadWithAi(product, admin, 'a green snake.jpg', await picture('green-snake.jpg'))
  await setUp(product, admin, 'siglip2')
  const { promise: isFree, resolve: free } = Promise.withResolvers<void>()
  const { engine } = product.services.ai.hub
  const embedText = engine.embedText
  // Like a model that is reading pictures for a while.
  const ask = context.mock.method(engine, 'embedText', async (text: string) => {
    await isFree
    return embedText(text)
  })
  const search = (words: string) => admin.get(`/api/media?search=${encodeURIComponent(words)}`)
  const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => search(`snake ${index % 10}`)))
  for (const { statusCode } of answers) assert.equal(statusCode, 200)
  const byName = (await search('green')).json().media
  assert.deepEqual(
    byName.map(({ id }: { id: number }) => id),
    [snake.id],
  )
  assert.ok(ask.mock.callCount() <= 4, `${ask.mock.callCount()} wait`)
  free()
  await until('the model answers again', async () => ((await search('Schlange')).json().near ?? []).length > 0)
})

test('a model whose re-analysis cannot be queued is not put into use', async (context) => {
  const { product, admin } = await withHub(context, { siglip2: {} })
  const { jobs } = product.services
  const enqueue = jobs.enqueue
  let refusals = 0
  context.mock.method(jobs, 'enqueue', async (...job: Parameters<typeof enqueue>) => {
    if (job[1] !== 'reanalyze-library') return enqueue(...job)
    refusals++
    throw new Error('The database is full')
  })
  await admin.post('/api/admin/ai/hub-models/siglip2')
  await until('the re-analysis was refused', () => refusals > 0)
  assert.notEqual((await stateOf(admin, 'siglip2')).phase, 'used')
  const cat = await uploadWithAi(product, admin, 'cat.jpg', await picture('tabby-cat.jpg'))
  assert.match(cat.aiModel, /efficientnet/)
})

onOneDatabase('a larger model that fails its examination is not used, and the panel says why', async (context) => {
  const { product, admin } = await withHub(context, { siglip2: { isConfused: true } })
  const state = await setUp(product, admin, 'siglip2')
  assert.equal(state.phase, 'failed')
  assert.match(state.message, /^It got 0 of 12 labels right and needs 10/)
  const cat = await uploadWithAi(product, admin, 'cat.jpg', await picture('tabby-cat.jpg'))
  assert.deepEqual([cat.aiStatus, cat.aiError], ['done', null])
  assert.match(cat.aiModel, /efficientnet/)
})

test('the setup of a larger model goes on after a restart with the bytes that were missing', async (context) => {
  const { hub, product, admin } = await withHub(context, { siglip2: {} })
  const large = 'onnx/vision_model_int8.onnx'
  hub.misbehave(large, { do: 'stall' })
  const stalled = hub.stalled()
  await admin.post('/api/admin/ai/hub-models/siglip2')
  await stalled
  assert.equal((await stateOf(admin, 'siglip2')).phase, 'downloading')
  await product.restart()
  await product.settled()
  assert.equal((await stateOf(admin, 'siglip2')).phase, 'used')
  assert.ok(
    hub.asked.some((request) => request.startsWith(`${large} from `)),
    hub.asked.join(', '),
  )
})

test('a download of a larger model can be canceled, and started again at once', async (context) => {
  const { hub, product, admin } = await withHub(context, { siglip2: {} })
  hub.misbehave('tokenizer.json', { do: 'stall' })
  const stalled = hub.stalled()
  await admin.post('/api/admin/ai/hub-models/siglip2')
  await stalled
  assert.equal((await admin.delete('/api/admin/ai/hub-models/siglip2')).statusCode, 200)
  assert.equal((await stateOf(admin, 'siglip2')).phase, 'off')
  assert.equal((await setUp(product, admin, 'siglip2')).phase, 'used')
})

onOneDatabase(
  'a hub that does not have the files leaves the built-in AI in use and says what to check',
  async (context) => {
    const { hub, product, admin } = await withHub(context, { siglip2: {} })
    hub.misbehave('onnx/text_model_int8.onnx', { do: 'answer', status: 404 })
    const { phase, message } = await setUp(product, admin, 'siglip2')
    assert.equal(phase, 'failed')
    assert.match(message, /does not offer onnx\/text_model_int8\.onnx \(status 404\)\. Check AI_HUB_URL/)
  },
)

const hasProc = { skip: !existsSync('/proc') }

test(
  'a process that dies during the examination of a larger model leaves a reason in the panel',
  hasProc,
  async (context) => {
    const { product, admin } = await withHub(context, { siglip2: {} })
    await admin.post('/api/admin/ai/hub-models/siglip2')
    await until('the model is examined', () => findHubProcess() !== undefined)
    process.kill(findHubProcess()!, 'SIGKILL')
    await product.settled()
    const { phase, message } = await stateOf(admin, 'siglip2')
    assert.equal(phase, 'failed')
    assert.match(message, /ended its process/)
  },
)

onOneDatabase(
  'an item is described by the built-in AI when a larger model stops working, and says so',
  async (context) => {
    const { product, admin, directory } = await withHub(context, { florence2: {} })
    await setUp(product, admin, 'florence2')
    const decoder = join(
      hubFolder(directory),
      hubModelById('florence2').repository,
      'onnx/decoder_model_merged_int8.onnx',
    )
    await writeFile(decoder, Buffer.alloc((await readFile(decoder)).length))
    await product.restart()
    const cat = await uploadWithAi(product, admin, 'cat.jpg', await picture('tabby-cat.jpg'))
    assert.match(cat.aiModel, /efficientnet/)
    assert.match(cat.aiError, /failed unexpectedly/)
    await rm(decoder)
    const bee = await uploadWithAi(product, admin, 'bee.jpg', await picture('bee-on-aster.jpg'))
    assert.equal(bee.aiError, null, 'without its files the model is not asked')
  },
)

onOneDatabase('hostile text that a model writes is stored as plain words', async (context) => {
  const hostile = (label: string) => `A ${label}.\u202e<img src=x onerror=alert(1)> [link](javascript:alert(1))\u0000.`
  const { product, admin } = await withHub(context, { florence2: { captionOf: hostile } })
  assert.equal((await setUp(product, admin, 'florence2')).phase, 'used')
  const cat = await uploadWithAi(product, admin, 'cat.jpg', await picture('tabby-cat.jpg'))
  assert.equal(cat.aiDescription, 'A cat. [link](javascript:alert(1)).')
})

onOneDatabase('a user who is no administrator can neither set up nor stop a larger model', async (context) => {
  const { product, hub } = await withHub(context, { siglip2: {} })
  const user = await product.register()
  assert.equal((await user.post('/api/admin/ai/hub-models/siglip2')).statusCode, 403)
  assert.equal((await user.delete('/api/admin/ai/hub-models/siglip2')).statusCode, 403)
  assert.deepEqual(hub.asked, [])
})

/** The child process of this test that holds the models of the hub. */
function findHubProcess(): number | undefined {
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const isHub = readFileSync(`/proc/${name}/cmdline`, 'utf8').includes('hub-child.ts')
      const parent = /^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${name}/status`, 'utf8'))?.[1]
      if (isHub && Number(parent) === process.pid) return Number(name)
    } catch {
      // It has ended meanwhile.
    }
  }
}
