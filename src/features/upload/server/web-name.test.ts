import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Media } from '#features/media/contract.ts'
import { makeJpeg } from '#tests/support/pictures.ts'
import { testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'

const upload = async (user: TestUser, names: string[], fields: Record<string, string>) => {
  const files = names.map(async (name) => ({ name, bytes: await makeJpeg() }))
  const answer = await user.upload(await Promise.all(files), fields)
  return answer.json().media.map(({ filename }: Media) => filename)
}

test('uploaded files get web names by a pattern, and equal names get a number', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const files = ['Rote Schuhe_IMG-2041.JPG', 'IMG_2042.jpg', 'rote-Schuhe.jpg']
  assert.deepEqual(await upload(ann, files, { namePattern: '' }), ['rote-schuhe.jpg', 'image.jpg', 'rote-schuhe-2.jpg'])
})

test('web names of files that are uploaded at the same time differ', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const uploads = Array.from({ length: 4 }, () => upload(ann, ['gull.jpg'], { namePattern: '' }))
  const names = (await Promise.all(uploads)).flat()
  assert.deepEqual(names.sort(), ['gull-2.jpg', 'gull-3.jpg', 'gull-4.jpg', 'gull.jpg'])
})

test('files of a collection are named by the pattern of its website', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  await ann.post('/api/websites', {
    name: 'Müller',
    languages: ['de'],
    namePattern: '{collection} {subject} {website}',
  })
  const { id } = (await ann.post('/api/collections', { name: 'Schuhe', company: 'Müller' })).json()
  const fields = { namePattern: '', collectionId: String(id) }
  assert.deepEqual(await upload(ann, ['rot.jpg'], fields), ['schuhe-rot-mueller.jpg'])
})
