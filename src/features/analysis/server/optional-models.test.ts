import assert from 'node:assert/strict'
import { readdir, readFile, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { modelFiles } from '#engines/ai/models/lock.ts'
import { modelsForTests, samplesForTests } from '#engines/ai/testing/models-for-tests.ts'
import { onOneDatabase } from '#tests/support/postgres.ts'
import { temporaryFolder } from '#tests/support/temporary-folder.ts'
import { testApp } from '#tests/support/test-app.ts'
import { uploadWithAi } from './analysis.fixture.ts'

onOneDatabase('an item is analyzed again once an optional model is installed', async (context) => {
  const models = await modelsForTests()
  const directory = await temporaryFolder(context)
  for (const file of await readdir(models)) await symlink(join(models, file), join(directory, file))
  const product = await testApp(context, { AI_LOCAL: '1', AI_MODELS_DIR: directory })
  const ann = await product.register()
  const saliency = join(directory, modelFiles.saliency)
  await rm(saliency)
  const photograph = (await samplesForTests()).photograph('cameras')
  const { id, focalPoint } = await uploadWithAi(product, ann, 'cameras.jpg', await readFile(photograph))
  assert.equal(focalPoint, null)
  const analyzeAgain = async () => (await ann.post(`/api/media/${id}/analyze`)).json().focalPoint
  const findings = () => product.services.db.selectFrom('ai_results').select('version').execute()
  assert.equal(await analyzeAgain(), null)
  assert.equal((await findings()).length, 1, 'without the model there is nothing new to find')
  await symlink(join(models, modelFiles.saliency), saliency)
  assert.ok(await analyzeAgain())
  assert.equal((await findings()).length, 2)
})
