import { sql } from 'kysely'
import { holdUser } from '#features/auth/server/store.ts'
import { notFound } from '#platform/errors.ts'
import { saveSetting } from '#platform/server/db/settings.ts'
import type { Db, Row } from '#platform/server/db/tables.ts'
import { countJobs, dismissFailedJob, listFailedJobs, retryFailedJob } from '#platform/server/jobs/store.ts'
import type { AdminStats, AdminUser, JobsOverview, StorageHistory } from '../contract.ts'

const recent = 10
const iso = (time: number) => new Date(time).toISOString()

/** Sums of counters that the database maintains, so the cost does not depend on the size of the library. */
export async function loadStats(db: Db): Promise<AdminStats> {
  const totals = await db
    .selectFrom('users')
    .select(({ fn }) => [
      fn.countAll<number>().as('users'),
      fn.sum<number | null>('media_count').as('media'),
      fn.sum<number | null>('collection_count').as('collections'),
      fn.sum<number | null>('storage_used').as('storage'),
      fn.sum<number | null>('is_admin').as('admins'),
    ])
    .executeTakeFirstOrThrow()
  return {
    totalUsers: totals.users,
    totalMedia: totals.media ?? 0,
    totalCollections: totals.collections ?? 0,
    totalStorage: totals.storage ?? 0,
    adminUsers: totals.admins ?? 0,
    recentActivity: { recentMedia: await listRecentMedia(db), recentUsers: await listRecentUsers(db) },
  }
}

async function listRecentMedia(db: Db) {
  const rows = await db
    .selectFrom('media')
    .innerJoin('users', 'users.id', 'media.owner_id')
    .select(['media.id', 'filename', 'username', 'media.created_at'])
    .orderBy('media.id', 'desc')
    .limit(recent)
    .execute()
  return rows.map((row) => ({ ...row, created_at: iso(row.created_at) }))
}

async function listRecentUsers(db: Db) {
  const rows = await db
    .selectFrom('users')
    .select(['id', 'username', 'email', 'is_admin', 'created_at'])
    .orderBy('id', 'desc')
    .limit(recent)
    .execute()
  return rows.map((row) => ({ ...row, is_admin: row.is_admin === 1, created_at: iso(row.created_at) }))
}

export async function listUsers(db: Db): Promise<AdminUser[]> {
  const rows = await db
    .selectFrom('users')
    .select(['id', 'username', 'email', 'is_admin', 'media_count', 'collection_count', 'storage_used', 'created_at'])
    .orderBy('id')
    .execute()
  return rows.map((row) => ({ ...row, is_admin: row.is_admin === 1, created_at: iso(row.created_at) }))
}

export async function findUser(db: Db, id: number): Promise<Row<'users'> | undefined> {
  return db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()
}

/**
 * [Note: One change of administrators at a time] Every change of administrators locks this row first. So of two who
 * revoke each other at once, the second finds that they are no longer an administrator.
 */
export async function lockAdministration(db: Db) {
  await saveSetting(db, 'administration-claimed', '1')
}

export async function updateAdmin(db: Db, id: number, is_admin: 0 | 1) {
  await db.updateTable('users').set({ is_admin }).where('id', '=', id).execute()
}

export async function listMediaIds(db: Db, ownerId: number, limit: number) {
  const rows = await db.selectFrom('media').select('id').where('owner_id', '=', ownerId).limit(limit).execute()
  return rows.map(({ id }) => id)
}

/**
 * Deletes the account with its collections and their addresses. Returns false while it still has items, which are
 * deleted before; none is added while the account is locked, see [Note: Items are locked first].
 */
export async function deleteAccount(db: Db, id: number): Promise<boolean> {
  await holdUser(db, id)
  if ((await listMediaIds(db, id, 1)).length > 0) return false
  await db
    .deleteFrom('slugs')
    .where('kind', '=', 'collection')
    .where('target_id', 'in', (select) => select.selectFrom('collections').select('id').where('owner_id', '=', id))
    .execute()
  await db.deleteFrom('users').where('id', '=', id).execute()
  return true
}

/** Shared bytes count for the first of the versions that share them, or else of the items. */
const ownBytes = sql<number>`CASE WHEN EXISTS (SELECT 1 FROM media AS earlier WHERE earlier.blob = media.blob
  AND earlier.owner_id = media.owner_id AND earlier.id < media.id) OR EXISTS (SELECT 1 FROM media_versions AS version
  WHERE version.blob = media.blob AND version.owner_id = media.owner_id) THEN 0 ELSE media.size END`
const ownBytesOfVersion = sql<number>`CASE WHEN EXISTS (SELECT 1 FROM media_versions AS earlier
  WHERE earlier.blob = media_versions.blob AND earlier.owner_id = media_versions.owner_id
  AND earlier.id < media_versions.id) THEN 0 ELSE media_versions.size END`

const dayMs = 24 * 3600_000
const shownDays = 30
/** The `day` of totals that are not split by day. */
const allDays = -1

export async function loadStorageHistory(db: Db): Promise<StorageHistory> {
  const today = Math.floor(Date.now() / dayMs)
  const first = today - shownDays + 1
  // One query per user reads the index of their newest items. Integer division works on both databases only when the
  // numbers are literals in the SQL.
  const added = db
    .selectFrom('users')
    .innerJoin('media', (join) => join.onRef('owner_id', '=', 'users.id').on('is_trashed', 'in', [0, 1]))
    .select(({ fn }) => [
      sql<number>`media.created_at / ${sql.lit(dayMs)}`.as('day'),
      fn.sum<number>(ownBytes).as('bytes'),
      fn.countAll<number>().as('files'),
    ])
    .where('media.created_at', '>=', first * dayMs)
    .groupBy('day')
  const replaced = db
    .selectFrom('users')
    .innerJoin('media_versions', 'media_versions.owner_id', 'users.id')
    .select(({ fn }) => [
      sql<number>`media_versions.made_at / ${sql.lit(dayMs)}`.as('day'),
      fn.sum<number>(ownBytesOfVersion).as('bytes'),
      sql<number>`0`.as('files'),
    ])
    .where('media_versions.made_at', '>=', first * dayMs)
    .groupBy('day')
  // One statement, so that an upload meanwhile is in both or in neither.
  const everything = db
    .selectFrom('users')
    .select(({ fn }) => [
      sql.lit(allDays).as('day'),
      fn.sum<number>('storage_used').as('bytes'),
      fn.sum<number>('media_count').as('files'),
    ])
  const byDay = new Map<number, { bytes: number; files: number }>()
  for (const { day, bytes, files } of await added.unionAll(replaced).unionAll(everything).execute()) {
    const sum = byDay.get(day) ?? { bytes: 0, files: 0 }
    byDay.set(day, { bytes: sum.bytes + bytes, files: sum.files + files })
  }
  const total = { ...byDay.get(allDays)! }
  byDay.delete(allDays)
  for (const { bytes, files } of byDay.values()) {
    total.bytes -= bytes
    total.files -= files
  }
  const days = Array.from({ length: shownDays }, (_, index) => {
    const entry = byDay.get(first + index)
    total.bytes += entry?.bytes ?? 0
    total.files += entry?.files ?? 0
    return { ...total, day: iso((first + index) * dayMs).slice(0, 10) }
  })
  return { days }
}

export async function loadJobsOverview(db: Db): Promise<JobsOverview> {
  const byKind = Map.groupBy(await countJobs(db), ({ kind }) => kind)
  const kinds = [...byKind].map(([kind, counts]) => {
    const countOf = (status: string) => counts.find((entry) => entry.status === status)?.count ?? 0
    return { kind, waiting: countOf('waiting'), active: countOf('active'), failed: countOf('failed') }
  })
  const failures = (await listFailedJobs(db)).map(({ id, kind, error, attempts, updated_at }) => ({
    id,
    kind,
    error: error ?? 'No reason was given',
    attempts,
    failedAt: new Date(updated_at).toISOString(),
  }))
  return { kinds: kinds.toSorted((a, b) => a.kind.localeCompare(b.kind)), failures }
}

export async function retryJob(db: Db, id: number) {
  if (!(await retryFailedJob(db, id))) throw notFound('Failed job')
}

export async function dismissJob(db: Db, id: number) {
  if (!(await dismissFailedJob(db, id))) throw notFound('Failed job')
}
