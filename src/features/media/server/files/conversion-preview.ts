import type { ImageEngine } from '#engines/images/image-engine.ts'
import type { ConvertInput } from '#engines/images/image-tasks.ts'
import type { Storage } from '#engines/storage/storage.ts'
import type { Db } from '#platform/server/db/tables.ts'
import type { Jobs } from '#platform/server/jobs/jobs.ts'
import { makeDerived } from './make-derived.ts'

type Target = Required<Pick<ConvertInput, 'quality' | 'format'>>
type Services = { storage: Storage; jobs: Jobs }

const cleanupKind = 'preview-cleanup'
const lifetimeMs = 3600_000
const prefix = 'preview-'

/**
 * [Note: One draft of a picture]
 * A preview is as large as the picture and counts toward no quota. So each picture has only the latest one, which is removed
 * after an hour; an older address creates its preview again.
 */
export function makePreview(services: DraftServices & { images: ImageEngine }, blob: string, target: Target) {
  return makeDraft(services, blob, `${target.quality}.${target.format}`, (path, outputPath) =>
    services.images.convert({ path, outputPath, ...target }),
  )
}

type DraftServices = Services & { db: Db }
type Make = (path: string, outputPath: string) => Promise<unknown>

/** Makes the draft of this name, unless it is there. Returns its storage key. */
export async function makeDraft({ db, storage, jobs }: DraftServices, blob: string, name: string, make: Make) {
  const key = draftKey(blob, name)
  let isNew = false
  await makeDerived({ storage }, key, undefined, async (path, outputPath) => {
    await jobs.enqueue(db, cleanupKind, { blob }, { key: blob, runAt: Date.now() + lifetimeMs })
    await make(path, outputPath)
    isNew = true
  })
  if (isNew) await storage.derived.removeRecipes(blob, { prefix, except: `${prefix}${name}` })
  return key
}

export const draftKey = (blob: string, name: string) => `${blob}/${prefix}${name}`

export function workOnPreviews({ jobs, storage }: Services) {
  jobs.work<{ blob: string }>(cleanupKind, { concurrency: 1 }, ({ blob }) =>
    storage.derived.removeRecipes(blob, { prefix }),
  )
}
