import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { holdUser } from '#features/auth/server/store.ts'
import { loadSetting, saveSetting } from '#platform/server/db/settings.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import { canonicalLanguage } from '#shared/languages.ts'
import { maxWebsiteNameLength, maxWebsites } from '../limits.ts'
import { countWebsites, findWebsiteNamed, insertWebsite, websiteKey } from './store.ts'

/**
 * [Note: Companies are websites]
 * A collection's company is text, and also the name of a website: a known name links to it, and a new one creates it.
 * Text that is too long for a name, or comes after the last website a user may have, stays text without a link.
 * The caller's transaction holds the user, so that two requests do not create one website twice.
 */
export async function websiteOfCompany(transaction: Db, ownerId: number, company: string | null | undefined) {
  if (!company || company.length > maxWebsiteNameLength || websiteKey(company) === '') return null
  const known = await findWebsiteNamed(transaction, ownerId, company)
  if (known) return known.id
  if ((await countWebsites(transaction, ownerId)) >= maxWebsites) return null
  const languages = JSON.stringify([await languageOf(transaction, ownerId)])
  return (await insertWebsite(transaction, { owner_id: ownerId, name: company, languages })).id
}

/** The language in which the AI writes for this user. */
async function languageOf(db: Db, ownerId: number) {
  const user = await db.selectFrom('users').select('preferences').where('id', '=', ownerId).executeTakeFirst()
  const { aiLanguage } = JSON.parse(user?.preferences ?? '{}') as { aiLanguage?: unknown }
  return canonicalLanguage(String(aiLanguage ?? '')) ?? 'en'
}

/** Links collections whose company is the name of this website and that belong to none. */
export async function adoptCollections(transaction: Db, website: { id: number; owner_id: number; name_key: string }) {
  const loose = await listLoose(transaction, website.owner_id)
  const own = loose.filter(({ company }) => websiteKey(company) === website.name_key)
  for (const { id } of own) await link(transaction, id, website.id)
}

const settingName = 'companies-linked'

/**
 * Once, for libraries from before there were websites. Later a collection without a link has lost its website, which must
 * not come back.
 */
export async function linkEarlierCompanies(db: Kysely<Tables>) {
  if (await loadSetting(db, settingName)) return
  for (const ownerId of await listOwners(db)) {
    await db.transaction().execute((transaction) => linkOwner(transaction, ownerId))
  }
  await saveSetting(db, settingName, 'done')
}

/** For a backup from before there were websites, in the transaction that restores it. */
export async function linkRestoredCompanies(transaction: Db) {
  for (const ownerId of await listOwners(transaction)) await linkOwner(transaction, ownerId)
}

async function listOwners(db: Db) {
  const owners = db.selectFrom('collections').select('owner_id').distinct().where('company', 'is not', null)
  const rows = await owners.where('website_id', 'is', null).orderBy('owner_id').execute()
  return rows.map(({ owner_id }) => owner_id)
}

async function linkOwner(transaction: Db, ownerId: number) {
  await holdUser(transaction, ownerId)
  for (const { id, company } of await listLoose(transaction, ownerId)) {
    const websiteId = await websiteOfCompany(transaction, ownerId, company)
    if (websiteId !== null) await link(transaction, id, websiteId)
  }
  // On SQLite requests are answered in this thread.
  await nextTurn()
}

async function listLoose(db: Db, ownerId: number) {
  const rows = await db
    .selectFrom('collections')
    .select(['id', 'company'])
    .where('owner_id', '=', ownerId)
    .where('website_id', 'is', null)
    .where('company', 'is not', null)
    .orderBy('id')
    .execute()
  return rows.map(({ id, company }) => ({ id, company: company! }))
}

async function link(db: Db, collectionId: number, websiteId: number) {
  await db.updateTable('collections').set({ website_id: websiteId }).where('id', '=', collectionId).execute()
}
