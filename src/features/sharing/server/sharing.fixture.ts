import type { TestContext } from 'node:test'
import type { Media } from '#features/media/contract.ts'
import { derivedNames } from '#features/media/server/media-addresses.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { makeJpeg } from '#tests/support/pictures.ts'
import { type TestApp, testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'

type SharedCollection = { id: number; slug: string; media: Media[] }

/** A public collection with images. */
export async function shareCollection(owner: TestUser, { count = 2, name = 'Summer' } = {}): Promise<SharedCollection> {
  const { id } = (await owner.post('/api/collections', { name })).json()
  const media: Media[] = []
  for (let index = 0; index < count; index++) {
    const item = await owner.addPicture(`picture-${index}.jpg`, await makeJpeg({ width: 120, height: 90 }))
    await owner.post(`/api/collections/${id}/media/${item.id}`)
    media.push(item)
  }
  const { publicSlug } = (await owner.patch(`/api/collections/${id}/visibility`, { isPublic: true })).json()
  return { id, slug: publicSlug, media }
}

/** Enlarges a collection without an upload per item. */
export async function addCopies(
  db: Db,
  { id, media }: Pick<SharedCollection, 'id' | 'media'>,
  { count, description = null }: { count: number; description?: string | null },
) {
  const original = db.selectFrom('media').selectAll().where('id', '=', media[0]!.id)
  const { id: _id, ...row } = await original.executeTakeFirstOrThrow()
  for (let index = 1; index <= count; index++) {
    const copy = await db
      .insertInto('media')
      .values({ ...row, filename: `copy-${index}.jpg`, user_description: description })
      .returning('id')
      .executeTakeFirstOrThrow()
    await db
      .insertInto('collection_media')
      .values({ collection_id: id, media_id: copy.id, media_created_at: 1, position: index + 1, added_at: 1 })
      .execute()
  }
}

export async function withSharedCollection(context: TestContext, options?: Parameters<typeof shareCollection>[1]) {
  const product: TestApp = await testApp(context)
  const ann = await product.register('ann')
  return { product, ann, visitor: product.visitor(), ...(await shareCollection(ann, options)) }
}

/** The address of the picture that link previews show. */
export const linkPreviewOf = (thumbnailUrl: string) =>
  thumbnailUrl.replace(derivedNames.thumbnail, derivedNames.linkPreview)

/** Every address that could reveal content of the collection. */
export function addressesOf({ slug, media }: Pick<SharedCollection, 'slug' | 'media'>) {
  const page = `/public/collections/${slug}`
  return [
    page,
    `${page}?embed=1`,
    `${page}?page=2`,
    `${page}/style.css`,
    `${page}/download`,
    `/api${page}`,
    `/api${page}/urls`,
    `/api${page}/images`,
    `/api${page}/data`,
    ...media.flatMap(({ originalUrl, thumbnailUrl }) => [
      originalUrl,
      thumbnailUrl,
      `${originalUrl}?w=320`,
      `${originalUrl}?w=640&format=avif`,
      `${originalUrl}?w=1280&format=jpeg`,
      `${originalUrl}?download=1`,
      linkPreviewOf(thumbnailUrl),
    ]),
  ]
}
