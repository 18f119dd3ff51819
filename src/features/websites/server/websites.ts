import type { Kysely } from 'kysely'
import { holdUser } from '#features/auth/server/store.ts'
import type { Owned } from '#features/media/server/owned.ts'
import { conflict, notFound } from '#platform/errors.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import type { WebsiteFields } from '../contract.ts'
import { maxWebsites } from '../limits.ts'
import { adoptCollections } from './company.ts'
import {
  countWebsites,
  findWebsiteNamed,
  insertWebsite,
  lockCollections,
  updateWebsite,
  type WebsiteRow,
  websiteKey,
} from './store.ts'

type Database = Kysely<Tables>

export async function createWebsite(db: Database, ownerId: number, fields: WebsiteFields) {
  return db.transaction().execute(async (transaction) => {
    // The user is locked before collections; see [Note: Items are locked first].
    await holdUser(transaction, ownerId)
    await requireFreeName(transaction, ownerId, fields.name)
    if ((await countWebsites(transaction, ownerId)) >= maxWebsites)
      throw conflict(`You can have up to ${maxWebsites} websites. Delete one first.`)
    const { name, languages, ...columns } = columnsOf(fields)
    const row = await insertWebsite(transaction, { owner_id: ownerId, name: name!, languages: languages!, ...columns })
    await adoptCollections(transaction, row)
    return row
  })
}

/** A new name is also the new company of its collections. */
export async function changeWebsite(db: Database, website: Owned<WebsiteRow>, fields: Partial<WebsiteFields>) {
  const { id, owner_id } = website
  return db.transaction().execute(async (transaction) => {
    await holdUser(transaction, owner_id)
    const { name } = fields
    if (name === undefined) return updateWebsite(transaction, id, columnsOf(fields))
    await requireFreeName(transaction, owner_id, name, id)
    const collections = await lockCollections(transaction, id)
    const row = await updateWebsite(transaction, id, { ...columnsOf(fields), name_key: websiteKey(name) })
    if (name !== website.name && collections.length > 0) {
      await transaction
        .updateTable('collections')
        .set({ company: name, updated_at: Date.now() })
        .where('website_id', '=', id)
        .execute()
    }
    await adoptCollections(transaction, row)
    return row
  })
}

/** Its collections stay, with the company as text. */
export async function removeWebsite(db: Database, { id, owner_id }: Owned<WebsiteRow>) {
  return db.transaction().execute(async (transaction) => {
    await holdUser(transaction, owner_id)
    const collections = await lockCollections(transaction, id)
    const { numDeletedRows } = await transaction.deleteFrom('websites').where('id', '=', id).executeTakeFirst()
    if (numDeletedRows === 0n) throw notFound('Website')
    return collections.length
  })
}

async function requireFreeName(db: Db, ownerId: number, name: string, ownId?: number) {
  const holder = await findWebsiteNamed(db, ownerId, name)
  if (holder && holder.id !== ownId)
    throw conflict(`You already have a website named "${holder.name}". Choose another name.`, { field: 'name' })
}

/** Fields that are missing stay as they are; empty ones are cleared. */
function columnsOf(fields: Partial<WebsiteFields>) {
  const { name, url, languages, tone, audience, keywords, namePattern, branding, presets, creator, licence } = fields
  const texts = { url, tone, audience, keywords, name_pattern: namePattern, creator, licence }
  const given = Object.entries(texts).filter(([, text]) => text !== undefined)
  return {
    ...(name !== undefined && { name }),
    ...(languages && { languages: JSON.stringify(languages) }),
    ...(Object.fromEntries(given.map(([column, text]) => [column, text || null])) as Partial<typeof texts>),
    ...(branding && { branding: JSON.stringify(branding) }),
    ...(presets && { presets: JSON.stringify(presets) }),
    ...(fields.statesRights !== undefined && { states_rights: fields.statesRights ? (1 as const) : (0 as const) }),
  }
}
