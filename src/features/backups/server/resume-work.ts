import type { Kysely } from 'kysely'
import type { Storage } from '#engines/storage/storage.ts'
import { enqueueVideoWork } from '#features/media/server/video-work.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import type { Jobs } from '#platform/server/jobs/jobs.ts'

type Services = { db: Kysely<Tables>; storage: Storage; jobs: Jobs }

/** After all rows were replaced: what they say is being worked on, or was made from the bytes and is not here, is begun. */
export async function resumeWork({ db, storage, jobs }: Services) {
  for (let last = 0; ; ) {
    const rows = await db
      .selectFrom('media')
      .selectAll()
      .where('id', '>', last)
      .where((where) => where.or([where('type', '=', 'video'), where('ai_status', '=', 'waiting')]))
      .orderBy('id')
      .limit(200)
      .execute()
    if (rows.length === 0) return
    for (const row of rows) {
      if (row.ai_status === 'waiting')
        await jobs.enqueue(db, 'analyse-media', { mediaId: row.id }, { key: String(row.id) })
      if (row.type !== 'video') continue
      const isPlayable = row.playback !== 'rendition' || (await storage.derived.stat(`${row.blob}/playable.mp4`))
      const hasSprite = row.sprite && (await storage.derived.stat(`${row.blob}/sprite.jpg`))
      const playback = isPlayable ? row.playback : ('pending' as const)
      const sprite = hasSprite ? row.sprite : null
      await db.updateTable('media').set({ playback, sprite }).where('id', '=', row.id).execute()
      if (!sprite || playback === 'pending') await enqueueVideoWork(jobs, db, { ...row, playback, sprite })
    }
    last = rows.at(-1)!.id
  }
}
