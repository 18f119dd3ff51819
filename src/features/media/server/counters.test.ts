import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Services } from '#app/server/services.ts'
import { makePng } from '#tests/support/pictures.ts'
import { testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import { tidyMedia } from './janitor.ts'

/** The counters that the database maintains with triggers. */
async function kept({ db }: Services, user: TestUser) {
  const counts = await db
    .selectFrom('users')
    .select(['storage_used', 'media_count', 'trashed_count', 'collection_count'])
    .select(['image_count', 'video_count', 'favorite_count'])
    .where('id', '=', user.id)
    .executeTakeFirstOrThrow()
  const collections = await db
    .selectFrom('collections')
    .select(['id', 'media_count'])
    .where('owner_id', '=', user.id)
    .execute()
  return {
    ...counts,
    collections: collections.map(({ id, media_count }) => [id, media_count]).sort(),
    ...(await keptForFinding(db, user)),
  }
}

/** Months, looks and tags that items have, with their numbers. */
async function keptForFinding(db: Services['db'], user: TestUser) {
  const months = await db.selectFrom('media_months').selectAll().where('owner_id', '=', user.id).execute()
  const looks = await db.selectFrom('media_looks').selectAll().where('owner_id', '=', user.id).execute()
  const facets = await db.selectFrom('facets').selectAll().where('owner_id', '=', user.id).execute()
  const present = (entries: [string, ...number[]][]) =>
    entries.filter(([, ...counts]) => counts.some((count) => count !== 0)).sort()
  return {
    months: present(
      months.map(({ kind, month, image_count, video_count, favorite_count, trashed_count }) => [
        `${kind} ${month}`,
        ...[image_count, video_count, favorite_count, trashed_count],
      ]),
    ),
    looks: present(looks.map(({ perceptual_hash, item_count }) => [perceptual_hash, item_count])),
    facets: present(facets.map(({ kind, value, item_count }) => [`${kind} ${value}`, item_count])),
  }
}

async function countedForFinding(db: Services['db'], user: TestUser) {
  const rows = await db.selectFrom('media').selectAll().where('owner_id', '=', user.id).execute()
  const tags = await db.selectFrom('media_tags').selectAll().where('owner_id', '=', user.id).execute()
  const visible = rows.filter(({ is_trashed }) => is_trashed === 0)
  const inMonth = (monthOf: (row: (typeof rows)[number]) => string, kind: string) =>
    [...Map.groupBy(rows, monthOf)].map(([month, items]): [string, ...number[]] => {
      const shown = items.filter((item) => visible.includes(item))
      const images = shown.filter(({ type }) => type === 'image').length
      const favorites = shown.filter(({ is_favorite }) => is_favorite === 1).length
      return [`${kind} ${month}`, images, shown.length - images, favorites, items.length - shown.length]
    })
  const added = (row: (typeof rows)[number]) => new Date(row.created_at).toISOString().slice(0, 7)
  const numberOf = (names: (string | null)[]): [string, number][] =>
    [...Map.groupBy(names, (name) => name)].flatMap(([name, all]) => (name === null ? [] : [[name, all.length]]))
  const shownTags = tags.filter(({ media_id }) => visible.some(({ id }) => id === media_id))
  return {
    months: [...inMonth(added, 'added'), ...inMonth((row) => row.taken_at?.slice(0, 7) ?? added(row), 'taken')].sort(),
    looks: numberOf(visible.map(({ perceptual_hash }) => perceptual_hash)).sort(),
    facets: numberOf(shownTags.map(({ tag }) => `tag ${tag}`)).sort(),
  }
}

/** The same numbers, counted row by row. */
async function counted({ db }: Services, user: TestUser) {
  const rows = await db.selectFrom('media').selectAll().where('owner_id', '=', user.id).execute()
  const versions = await db.selectFrom('media_versions').selectAll().where('owner_id', '=', user.id).execute()
  const visible = rows.filter(({ is_trashed }) => is_trashed === 0)
  const members = await db.selectFrom('collection_media').select(['collection_id', 'media_id']).execute()
  const collections = await db.selectFrom('collections').select('id').where('owner_id', '=', user.id).execute()
  const visibleIds = new Set(visible.map(({ id }) => id))
  return {
    storage_used: [...new Map([...rows, ...versions].map(({ blob, size }) => [blob, size])).values()].reduce(
      (sum, size) => sum + size,
      0,
    ),
    media_count: rows.length,
    trashed_count: rows.length - visible.length,
    collection_count: collections.length,
    image_count: visible.filter(({ type }) => type === 'image').length,
    video_count: visible.filter(({ type }) => type === 'video').length,
    favorite_count: visible.filter(({ is_favorite }) => is_favorite === 1).length,
    collections: collections
      .map(({ id }) => [
        id,
        members.filter((member) => member.collection_id === id && visibleIds.has(member.media_id)).length,
      ])
      .sort(),
    ...(await countedForFinding(db, user)),
  }
}

async function blobsOf({ db }: Services) {
  const rows = await db.selectFrom('blobs').select('sha256').execute()
  return rows.map(({ sha256 }) => sha256).sort()
}

async function blobsInUse({ db }: Services) {
  const items = await db.selectFrom('media').select('blob').execute()
  const versions = await db.selectFrom('media_versions').select('blob').execute()
  return [...new Set([...items, ...versions].map(({ blob }) => blob))].sort()
}

const ids = (answer: { json(): { media: { id: number }[] } }) =>
  answer
    .json()
    .media.map(({ id }) => id)
    .sort((a, b) => a - b)

/** Asserts that search finds every item by its tag, and narrowed by collection, in and out of the trash. */
async function assertFindable(services: Services, user: TestUser) {
  const rows = await services.db
    .selectFrom('media')
    .select(['id', 'is_trashed'])
    .where('owner_id', '=', user.id)
    .execute()
  for (const isTrashed of [0, 1]) {
    const expected = rows.filter(({ is_trashed }) => is_trashed === isTrashed).map(({ id }) => id)
    const found = ids(await user.get(`/api/media?search=marked&limit=200&trashed=${isTrashed}`))
    assert.deepEqual(
      found,
      expected.sort((a, b) => a - b),
    )
  }
  for (const { id } of (await user.get('/api/collections?summary=true')).json()) {
    const members = ids(await user.get(`/api/media?collectionId=${id}&limit=200`))
    assert.deepEqual(ids(await user.get(`/api/media?search=marked&collectionId=${id}&limit=200`)), members)
  }
  const favorites = ids(await user.get('/api/media?favorite=true&limit=200'))
  assert.deepEqual(ids(await user.get('/api/media?search=marked&favorite=true&limit=200')), favorites)
}

async function versionIds(user: TestUser, id: number | undefined): Promise<number[]> {
  const { versions = [] } = (await user.get(`/api/media/${id}/versions`)).json()
  return versions.map((version: { id: number }) => version.id)
}

type State = { user: TestUser; mediaIds: number[]; collectionIds: number[]; picture: () => Promise<Buffer> }
type Step = (state: State, pick: (list: number[]) => number | undefined) => Promise<unknown>

let albums = 0
/** No name is part of another, so that a search for one finds only its members. */
const newName = () => `album${albums++}x`

const steps: Record<string, Step> = {
  upload: async ({ user, picture }) => user.addPicture('marked.png', await picture()),
  'upload again': async ({ user, picture }) => user.addPicture('marked again.png', await picture()),
  copy: ({ user, mediaIds }, pick) => user.post(`/api/media/${pick(mediaIds)}/copy`),
  trash: ({ user, mediaIds }, pick) => user.post('/api/media/bulk-trash', { mediaIds: [pick(mediaIds)] }),
  restore: ({ user, mediaIds }, pick) => user.post('/api/media/bulk-restore', { mediaIds: [pick(mediaIds)] }),
  delete: ({ user, mediaIds }, pick) => user.delete(`/api/media/${pick(mediaIds)}`),
  favorite: ({ user, mediaIds }, pick) => user.patch(`/api/media/${pick(mediaIds)}`, { isFavorite: true }),
  'no favorite': ({ user, mediaIds }, pick) => user.patch(`/api/media/${pick(mediaIds)}`, { isFavorite: false }),
  describe: ({ user, mediaIds }, pick) =>
    user.patch(`/api/media/${pick(mediaIds)}`, { userDescription: 'x', aiTags: ['t'] }),
  convert: ({ user, mediaIds }, pick) =>
    user.post(`/api/media/${pick(mediaIds)}/convert-webp`, { quality: 50, deleteOriginal: true }),
  'convert to a copy': ({ user, mediaIds }, pick) =>
    user.post(`/api/media/${pick(mediaIds)}/convert-webp`, { quality: 40 }),
  replace: async ({ user, mediaIds, picture }, pick) => user.replace(pick(mediaIds) ?? 0, 'other.png', await picture()),
  'restore a version': async ({ user, mediaIds }, pick) => {
    const id = pick(mediaIds)
    const versionId = pick(await versionIds(user, id))
    return user.post(`/api/media/${id}/versions/${versionId}/restore`)
  },
  'delete a version': async ({ user, mediaIds }, pick) => {
    const id = pick(mediaIds)
    const versionId = pick(await versionIds(user, id))
    return user.delete(`/api/media/${id}/versions/${versionId}`)
  },
  'delete all versions': ({ user }) => user.delete('/api/versions'),
  'empty the trash': ({ user }) => user.delete('/api/trash'),
  'new collection': ({ user }) => user.post('/api/collections', { name: newName() }),
  collect: ({ user, mediaIds, collectionIds }, pick) =>
    user.post(`/api/collections/${pick(collectionIds)}/media/${pick(mediaIds)}`),
  'take out': ({ user, mediaIds, collectionIds }, pick) =>
    user.delete(`/api/collections/${pick(collectionIds)}/media/${pick(mediaIds)}`),
  'delete collection': ({ user, collectionIds }, pick) => user.delete(`/api/collections/${pick(collectionIds)}`),
  'duplicate collection': ({ user, collectionIds }, pick) =>
    user.post(`/api/collections/${pick(collectionIds)}/duplicate`, { name: newName() }),
}

test('counters, search and stored files agree with the rows after any sequence of changes', async (context) => {
  const { services, register } = await testApp(context)
  const choice = fc.tuple(fc.constantFrom(...Object.keys(steps)), fc.nat(1000), fc.nat(1000))
  await fc.assert(
    fc.asyncProperty(fc.array(choice, { minLength: 10, maxLength: 25 }), async (sequence) => {
      const user = await register()
      const pictures = await Promise.all([1, 2, 3].map(() => makePng({ width: 40, height: 30 })))
      for (const which of [0, 0, 1]) await user.addPicture('marked.png', pictures[which])
      await user.post('/api/collections', { name: newName() })
      // A blob in use is not checked again until an item stops using it.
      await tidyMedia(services, 0)
      assert.deepEqual(await services.db.selectFrom('loose_blobs').selectAll().execute(), [])
      for (const [name, first, second] of sequence) {
        const state: State = {
          user,
          mediaIds: [
            ...ids(await user.get('/api/media?limit=200')),
            ...ids(await user.get('/api/media?trashed=1&limit=200')),
          ],
          collectionIds: (await user.get('/api/collections?summary=true')).json().map(({ id }: { id: number }) => id),
          picture: async () => pictures[first % pictures.length]!,
        }
        const numbers = [first, second]
        await steps[name]!(state, (list) => list[(numbers.shift() ?? 0) % Math.max(1, list.length)])
      }
      assert.deepEqual(await kept(services, user), await counted(services, user))
      await assertFindable(services, user)
      await tidyMedia(services, 0)
      assert.deepEqual(await blobsOf(services), await blobsInUse(services))
    }),
    { numRuns: 8, seed: 20_261_115, endOnFailure: true },
  )
})

test('concurrent bulk changes keep the counters exact', async (context) => {
  const { services, register } = await testApp(context)
  const user = await register()
  const picture = await makePng({ width: 40, height: 30 })
  const other = await makePng({ width: 41, height: 30 })
  const media = await Promise.all([1, 2, 3, 4, 5, 6].map(() => user.addPicture('marked.png', picture)))
  const { id } = (await user.post('/api/collections', { name: newName() })).json()
  const work = media.flatMap((item, index) => [
    user.post(`/api/collections/${id}/media/${item.id}`),
    user.patch(`/api/media/${item.id}`, { isFavorite: true }),
    user.post(`/api/media/${item.id}/copy`),
    user.replace(item.id, 'other.png', other),
    user.post('/api/media/bulk-trash', { mediaIds: media.slice(index).map((other) => other.id) }),
    user.post('/api/media/bulk-restore', { mediaIds: media.slice(0, index + 1).map((other) => other.id) }),
    index % 2
      ? user.delete(`/api/media/${item.id}`)
      : user.post(`/api/media/${item.id}/convert-webp`, { deleteOriginal: true }),
    index === 3 ? user.delete('/api/trash') : user.get('/api/media'),
  ])
  for (const answer of await Promise.all(work)) assert.ok(answer.statusCode < 500, answer.body)
  assert.deepEqual(await kept(services, user), await counted(services, user))
  await assertFindable(services, user)
})
