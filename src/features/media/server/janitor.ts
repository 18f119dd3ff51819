import type { FastifyBaseLogger } from 'fastify'
import type { Kysely } from 'kysely'
import type { Storage } from '#engines/storage/storage.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import type { Jobs } from '#platform/server/jobs/jobs.ts'
import { removeOldTrash } from './trash.ts'

const hourMs = 3600_000
const batch = 500

type Services = { db: Kysely<Tables>; storage: Storage; jobs: Jobs; log: FastifyBaseLogger }

export async function workAsJanitor(services: Services) {
  services.jobs.work('tidy-media', { concurrency: 1 }, () => tidyMedia(services))
  services.jobs.work('find-strays', { concurrency: 1 }, () => removeStrays(services))
  await services.jobs.schedule('tidy-media', '*/10 * * * *')
  await services.jobs.schedule('find-strays', '23 3 * * *')
}

/** Old trash, what a crash left half-way, and bytes that nothing has pointed to for an hour. */
export async function tidyMedia({ db, storage, log }: Services, olderThanMs = hourMs) {
  await removeOldTrash(db)
  const swept = await storage.sweep(olderThanMs)
  let removed = 0
  for (;;) {
    const unused = await listUnusedBlobs(db, olderThanMs)
    for (const { sha256 } of unused) if (await removeBlob({ db, storage }, sha256, olderThanMs)) removed++
    if (unused.length < batch) break
  }
  if (swept + removed > 0) log.info({ temporaryFiles: swept, blobs: removed }, 'left-over files removed')
}

async function listUnusedBlobs(db: Db, olderThanMs: number) {
  return db
    .selectFrom('blobs')
    .select('sha256')
    .where('created_at', '<=', Date.now() - olderThanMs)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('media').select('media.id').whereRef('media.blob', '=', 'blobs.sha256'))),
    )
    .limit(batch)
    .execute()
}

/** The row goes only while nothing points to it and nobody has just brought the same bytes again; the bytes follow. */
async function removeBlob({ db, storage }: { db: Db; storage: Storage }, sha256: string, olderThanMs: number) {
  const { numDeletedRows } = await db
    .deleteFrom('blobs')
    .where('sha256', '=', sha256)
    .where('created_at', '<=', Date.now() - olderThanMs)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('media').select('media.id').whereRef('media.blob', '=', 'blobs.sha256'))),
    )
    .executeTakeFirst()
  if (numDeletedRows === 0n) return false
  // Somebody may be bringing the same bytes just now; then they stay, and so does what was made from them.
  const isRemoved = await storage.remove(sha256, { unchangedForMs: olderThanMs })
  if (isRemoved) await storage.derived.remove(sha256)
  return isRemoved
}

/** Bytes that a crash left between "kept" and "recorded": in the storage, but in no table. */
export async function removeStrays({ db, storage, log }: Services, olderThanMs = hourMs) {
  let removed = 0
  for await (const { sha256, modifiedAt } of storage.list()) {
    if (modifiedAt.getTime() > Date.now() - olderThanMs) continue
    const known = await db.selectFrom('blobs').select('sha256').where('sha256', '=', sha256).executeTakeFirst()
    if (!known && (await storage.remove(sha256, { unchangedForMs: olderThanMs }))) removed++
  }
  if (removed > 0) log.info({ blobs: removed }, 'stray files removed')
}
