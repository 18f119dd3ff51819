import type { Kysely } from 'kysely'
import type { Storage } from '#engines/storage/storage.ts'
import { derivedKeys } from '#features/media/server/media-addresses.ts'
import { enqueueVideoWork } from '#features/media/server/video-work.ts'
import type { Db, Row, Tables } from '#platform/server/db/tables.ts'
import type { Jobs } from '#platform/server/jobs/jobs.ts'

type Services = { db: Kysely<Tables>; storage: Storage; jobs: Jobs }

export const resumeKind = 'resume-work'

export type ResumePayload = { after?: number }

const batch = 200

/** Inside the transaction that replaces all rows: what they say is being worked on, or was made from the bytes and is not here, is begun. */
export function beginResuming(jobs: Jobs, transaction: Db) {
  return jobs.enqueue(transaction, resumeKind, {} satisfies ResumePayload)
}

/** Some items at a time, and then the next ones: looking for the files of many videos in a bucket takes long. */
export async function resumeWork({ db, storage, jobs }: Services, { after = 0 }: ResumePayload) {
  const rows = await db
    .selectFrom('media')
    .selectAll()
    .where('id', '>', after)
    .where((where) => where.or([where('type', '=', 'video'), where('ai_status', '=', 'waiting')]))
    .orderBy('id')
    .limit(batch)
    .execute()
  for (const row of rows) {
    if (row.ai_status === 'waiting')
      await jobs.enqueue(db, 'analyze-media', { mediaId: row.id }, { key: String(row.id), ownerId: row.owner_id })
    if (row.type === 'video') await resumeVideo(row)
  }
  if (rows.length === batch) await jobs.enqueue(db, resumeKind, { after: rows.at(-1)!.id } satisfies ResumePayload)

  async function resumeVideo(row: Row<'media'>) {
    const isPlayable = row.playback !== 'rendition' || (await storage.derived.stat(derivedKeys.playable(row.blob)))
    const hasSprite = row.sprite && (await storage.derived.stat(derivedKeys.sprite(row.blob)))
    // Only what is missing is written: whoever works on the video meanwhile may have written the rest.
    const missing = { ...(!isPlayable && { playback: 'pending' as const }), ...(!hasSprite && { sprite: null }) }
    const isWhole = Object.keys(missing).length === 0
    if (isWhole && row.playback !== 'pending') return
    const same = db.updateTable('media').where('id', '=', row.id).where('blob', '=', row.blob)
    if (!isWhole) await same.set(missing).execute()
    await enqueueVideoWork(jobs, db, { ...row, ...missing })
  }
}
