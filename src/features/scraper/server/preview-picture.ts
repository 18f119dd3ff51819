import { readFile, rm } from 'node:fs/promises'
import type { Kysely } from 'kysely'
import type { ImageEngine } from '#engines/images/image-engine.ts'
import type { Storage } from '#engines/storage/storage.ts'
import type { PublicWeb } from '#engines/web/fetch-public.ts'
import { notFound } from '#platform/errors.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import { limitConcurrencyPerKey } from '#shared/concurrency.ts'
import { hasFound } from './store.ts'

export type PictureServices = { db: Kysely<Tables>; web: PublicWeb; images: ImageEngine; storage: Storage }

const maxBytes = 30 * 1024 * 1024
const timeMs = 20_000
/** For each person: a page whose pictures come from a slow host keeps nobody else waiting. */
const madeAtOnce = 4

/**
 * Small pictures of what a preview found. They are decoded and drawn anew, so what reaches the browser is a WebP of
 * ours and nothing that a stranger wrote; and only what this person's own previews found is fetched at all.
 */
export function createPreviewPictures({ db, web, images, storage }: PictureServices) {
  const slots = limitConcurrencyPerKey(madeAtOnce)

  return async function loadPicture(ownerId: number, address: string, signal: AbortSignal): Promise<Buffer> {
    if (!(await hasFound(db, ownerId, address))) throw notFound('Image')
    return slots.run(ownerId, signal, async () => {
      const path = storage.derived.temporaryPath()
      const thumbnailPath = storage.derived.temporaryPath('webp')
      try {
        await web.fetchFile(address, { destination: path, maxBytes, timeMs, signal })
        await images.process({ path, thumbnailPath })
        return await readFile(thumbnailPath)
      } finally {
        await Promise.all([rm(path, { force: true }), rm(thumbnailPath, { force: true })])
      }
    })
  }
}
