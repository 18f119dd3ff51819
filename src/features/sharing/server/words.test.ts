import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Row } from '#platform/server/db/tables.ts'
import { makePhoto } from '#tests/support/pictures.ts'
import { addressesOf, withSharedCollection } from './sharing.fixture.ts'

const fromThen = 'Photo: a cat. Mainly grey. Taken on 6 May 2024 near London, United Kingdom with a Canon EOS R5.'
const woven = 'A cat in London on a May morning, seen by a Canon EOS R5.'

type Words = Partial<Pick<Row<'media'>, 'ai_description' | 'ai_description_source' | 'ai_provider' | 'exif'>>

test('of what an AI wrote that knew place, day and camera, no visitor reads these; the owner does', async (context) => {
  const { product, ann, visitor, id, slug } = await withSharedCollection(context, { count: 0 })
  const { db } = product.services
  const write = (mediaId: number, words: Words) =>
    db.updateTable('media').set(words).where('id', '=', mediaId).execute()
  const photos = [
    await ann.addPicture('one.jpg', await makePhoto()),
    await ann.addPicture('two.jpg', await makePhoto()),
  ]
  for (const { id: mediaId } of photos) {
    await ann.post(`/api/collections/${id}/media/${mediaId}`)
    await ann.patch(`/api/media/${mediaId}`, { aiTags: ['pet'] })
    const tag = { media_id: mediaId, tag: 'london', owner_id: ann.id, position: 9, source: 'ai' as const }
    await db.insertInto('media_tags').values(tag).execute()
  }
  const [first, second] = photos.map((photo) => photo.id) as [number, number]
  await write(first, { ai_description: fromThen, ai_description_source: 'ai', ai_provider: 'local' })
  await write(second, { ai_description: woven, ai_description_source: 'ai', ai_provider: 'openai' })
  await db.deleteFrom('media_tags').where('media_id', '=', first).where('tag', '=', 'london').execute()
  const { publicUrl } = (await ann.post(`/api/media/${second}/public`)).json()
  const own = new URL(publicUrl).pathname

  const pages = addressesOf({ slug, media: [] }).filter((address) => !address.endsWith('/download'))
  for (const address of [...pages, own, `/api${own.replace('/public/', '/public/media/')}`]) {
    const answer = await visitor.get(address)
    assert.equal(answer.statusCode, 200, address)
    assert.doesNotMatch(answer.body, /london|canon eos|\bmay\b/i, address)
  }
  const { media } = (await visitor.get(`/api/public/collections/${slug}`)).json()
  const shown = (item: { aiDescription: string | null; alt: string; aiTags: string[] }) => [
    item.aiDescription,
    item.alt,
    item.aiTags,
  ]
  assert.deepEqual(media.map(shown), [
    ['Photo: a cat. Mainly grey.', 'Photo: a cat. Mainly grey.', ['pet']],
    [null, 'two', ['pet']],
  ])
  assert.equal((await ann.get(`/api/media/${first}`)).json().aiDescription, fromThen)
  await write(second, { exif: null })
  const { aiDescription } = (await visitor.get(`/api${own.replace('/public/', '/public/media/')}`)).json().media
  assert.equal(aiDescription, null, 'the day alone is enough to keep silent')

  await ann.patch(`/api/media/${second}`, { filename: 'IMG_0002.jpg' })
  const { names } = (await ann.post(`/api/collections/${id}/ai-rename`, { company: 'Acme', preview: true })).json()
  assert.deepEqual(
    names.find((name: { id: number }) => name.id === second).to,
    'Acme pet.jpg',
    'a name is read by visitors',
  )

  await ann.patch(`/api/media/${second}`, { aiDescription: 'My cat in London.' })
  await write(first, { ai_description: 'Photo; subject not recognised. Mainly grey.' })
  const after = (await visitor.get(`/api/public/collections/${slug}`)).json().media
  assert.deepEqual(
    after.map(({ alt }: { alt: string }) => alt),
    ['Photo. Mainly grey.', 'My cat in London.'],
    'what a person wrote is published as it is',
  )
})
