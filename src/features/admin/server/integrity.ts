import { type ExpressionBuilder, sql } from 'kysely'
import { hasItem } from '#features/media/server/blob-store.ts'
import { type CheckPayload, checkKind, findCheck } from '#features/media/server/check-files.ts'
import type { BlobState } from '#features/media/server/tables.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import type { Jobs } from '#platform/server/jobs/jobs.ts'
import type { IntegrityReport } from '../contract.ts'

const shownItems = 50

/** Does nothing while a check is pending or running. */
export async function startIntegrityCheck({ db, jobs }: { db: Db; jobs: Jobs }) {
  if (await findCheck(db)) return
  await jobs.enqueue(db, checkKind, { startedAt: Date.now() } satisfies CheckPayload, { key: checkKind })
}

export async function loadIntegrityReport(db: Db): Promise<IntegrityReport> {
  const running = await findCheck(db)
  const now = Date.now()
  const since = Math.min(running?.startedAt ?? 0, now)
  const counts = await db
    .selectFrom('blobs')
    .select(({ fn, eb }) => [
      fn.countAll<number>().as('total'),
      fn.count<number>('checked_at').as('ever'),
      // A file was also hashed at its upload. A time in the future is from a wrong clock, so the upload time counts
      // instead.
      fn
        .min<number>(
          eb.case().when('checked_at', '<=', now).then(eb.ref('checked_at')).else(eb.ref('created_at')).end(),
        )
        .as('oldest'),
      fn
        .sum<number | null>(
          eb
            .case()
            .when(eb.between('checked_at', since, now))
            .then(1)
            .else(0)
            .end(),
        )
        .as('checked'),
      fn.sum<number | null>(eb.case().when(isLoss(eb, 'damaged')).then(1).else(0).end()).as('damaged'),
      fn.sum<number | null>(eb.case().when(isLoss(eb, 'missing')).then(1).else(0).end()).as('missing'),
    ])
    .executeTakeFirstOrThrow()
  return {
    isRunning: Boolean(running),
    total: counts.total,
    checked: counts.checked ?? 0,
    damaged: counts.damaged ?? 0,
    missing: counts.missing ?? 0,
    checkedAt: counts.ever > 0 ? new Date(Math.min(counts.oldest, now)).toISOString() : null,
    affected: await listAffected(db),
  }
}

/** Bytes without an item are from a failed upload and are deleted by the cleanup, so they are no loss. */
const isLoss = (eb: ExpressionBuilder<Tables, 'blobs'>, state: BlobState) =>
  eb('state', '=', state).and(hasItem('blobs.sha256'))

async function listAffected(db: Db) {
  // The condition matches a partial index, and each list is short: nearly no file is ever lost.
  const lost = db.selectFrom('blobs').where(sql<boolean>`blobs.state <> 'ok'`)
  const items = lost
    .innerJoin('media', 'media.blob', 'blobs.sha256')
    .innerJoin('users', 'users.id', 'media.owner_id')
    .select(['media.id', 'media.filename', 'users.username', 'blobs.state'])
  const versions = lost
    .innerJoin('media_versions', 'media_versions.blob', 'blobs.sha256')
    .innerJoin('users', 'users.id', 'media_versions.owner_id')
    .where('replaced_at', 'is not', null)
    .select(['media_versions.media_id as id', 'media_versions.filename', 'users.username', 'blobs.state'])
  return items.union(versions).orderBy('id').limit(shownItems).execute()
}
