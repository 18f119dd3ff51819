import { hashPassword } from '#features/auth/server/passwords.ts'
import { type CollectionRow, updateCollection } from '#features/collections/server/store.ts'
import type { Owned } from '#features/media/server/owned.ts'
import { invalid } from '#platform/errors.ts'
import type { Db } from '#platform/server/db/tables.ts'
import type { SharingChanges, SharingOptions } from '../contract.ts'
import { listViewsByDay } from './store.ts'
import { dayOf } from './views.ts'

export function optionsOf(row: CollectionRow): SharingOptions {
  const expiresAt = row.share_expires_at
  return {
    hasPassword: row.password_hash !== null,
    expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    isExpired: expiresAt !== null && expiresAt <= Date.now(),
    allowsDownload: row.allows_download === 1,
  }
}

export async function changeOptions(db: Db, collection: Owned<CollectionRow>, changes: SharingChanges) {
  const { password, expiresAt, allowsDownload } = changes
  const end = expiresAt ? Date.parse(expiresAt) : null
  if (end !== null && end <= Date.now()) {
    throw invalid('The link must expire in the future. To close it now, make it private.', { field: 'expiresAt' })
  }
  const row = await updateCollection(db, collection.id, {
    ...(password !== undefined && { password_hash: password === null ? null : await hashPassword(password) }),
    ...(expiresAt !== undefined && { share_expires_at: end }),
    ...(allowsDownload !== undefined && { allows_download: allowsDownload ? (1 as const) : (0 as const) }),
  })
  return optionsOf(row)
}

const shownDays = 30
const dayMs = 24 * 3600_000

/** Every one of the last thirty days, also those without a visitor. */
export async function viewStatistics(db: Db, collection: Owned<CollectionRow>) {
  const days = Array.from({ length: shownDays }, (_, index) => dayOf(Date.now() - (shownDays - 1 - index) * dayMs))
  const rows = await listViewsByDay(db, 'collection', collection.id, days[0]!)
  const views = new Map(rows.map((row) => [row.day, row.views]))
  return { total: collection.view_count, days: days.map((day) => ({ day, views: views.get(day) ?? 0 })) }
}
