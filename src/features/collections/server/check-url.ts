import type { Owned } from '#features/media/server/owned.ts'
import { findSlugTarget, isReservedSlug } from '#features/media/server/slugs.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { maxSlugLength, minSlugLength, toSlugInput } from '#shared/slug.ts'
import type { CollectionRow } from './store.ts'

/** For the field that is being typed in; taking the address is what decides. */
export async function checkUrl(db: Db, collection: Owned<CollectionRow>, text: string) {
  const slug = toSlugInput(text).slice(0, maxSlugLength)
  const answer = (isAvailable: boolean, message: string) => ({ slug, isAvailable, message })
  if (slug.length < minSlugLength) return answer(false, `At least ${minSlugLength} letters, digits or hyphens.`)
  if (isReservedSlug(slug)) return answer(false, 'This URL is reserved.')
  if (slug === collection.public_slug) return answer(true, 'This is the current URL.')
  const holder = await findSlugTarget(db, 'collection', slug)
  if (holder === undefined) return answer(true, 'This URL is available.')
  return holder === collection.id
    ? answer(true, 'This is an earlier URL of this collection.')
    : answer(false, 'This URL is already taken.')
}
