import type { Owned } from '#features/media/server/owned.ts'
import { brandingOf } from '#features/websites/server/branding.ts'
import { websiteBrandingOf } from '#features/websites/server/describe-websites.ts'
import { findWebsiteNamed } from '#features/websites/server/store.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { checkedCssOf } from './checked-css.ts'
import type { CollectionRow } from './store.ts'

type Look = Pick<CollectionRow, 'branding' | 'checked_css'>

/** What a new collection for this company takes from its website. */
export async function lookOfCompany(db: Db, ownerId: number, company: string | null | undefined): Promise<Look> {
  const website = company ? await findWebsiteNamed(db, ownerId, company) : undefined
  if (!website?.branding) return { branding: null, checked_css: null }
  return { branding: website.branding, checked_css: await checkedCssOf(websiteBrandingOf(website)) }
}

/** The other website's branding, if it has any, with the collection's own title. */
export async function lookOfCopy(
  db: Db,
  collection: Owned<CollectionRow>,
  company: string | null | undefined,
): Promise<Look> {
  const { branding, checked_css, website_id, owner_id } = collection
  const own = { branding, checked_css }
  const website = company ? await findWebsiteNamed(db, owner_id, company) : undefined
  if (!website?.branding || website.id === website_id) return own
  const { title, subtitle } = brandingOf(collection)
  const taken = { title, subtitle, ...websiteBrandingOf(website) }
  return { branding: JSON.stringify(taken), checked_css: await checkedCssOf(taken) }
}
