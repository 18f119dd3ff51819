import type { ImageEngine } from '#engines/images/image-engine.ts'
import type { Storage } from '#engines/storage/storage.ts'
import type { Db } from '#platform/server/db/tables.ts'
import type { Jobs } from '#platform/server/jobs/jobs.ts'
import { makeDerived } from './make-derived.ts'

type Services = { storage: Storage; jobs: Jobs }

const cleanupKind = 'preview-cleanup'
const lifetimeMs = 3600_000
const prefix = 'preview-'

/**
 * [Note: One draft of a picture]
 * A preview is as large as the picture and counts toward no quota. So each picture has only the latest one, which is removed
 * after an hour; an older address creates its preview again.
 */
export async function makePreview(
  { db, storage, images, jobs }: Services & { db: Db; images: ImageEngine },
  blob: string,
  quality: number,
) {
  const recipe = `${prefix}${quality}.webp`
  const key = `${blob}/${recipe}`
  let isNew = false
  await makeDerived({ storage }, key, 'webp', async (path, outputPath) => {
    await jobs.enqueue(db, cleanupKind, { blob }, { key: blob, runAt: Date.now() + lifetimeMs })
    await images.convert({ path, outputPath, quality })
    isNew = true
  })
  if (isNew) await storage.derived.removeRecipes(blob, { prefix, except: recipe })
  return key
}

export function workOnPreviews({ jobs, storage }: Services) {
  jobs.work<{ blob: string }>(cleanupKind, { concurrency: 1 }, ({ blob }) =>
    storage.derived.removeRecipes(blob, { prefix }),
  )
}
