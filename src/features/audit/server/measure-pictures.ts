import { rm, stat } from 'node:fs/promises'
import type { ImageEngine } from '#engines/images/image-engine.ts'
import type { Storage } from '#engines/storage/storage.ts'
import type { PublicWeb } from '#engines/web/fetch-public.ts'
import { AppError } from '#platform/errors.ts'
import type { Db } from '#platform/server/db/tables.ts'
import type { WorkOnItem } from '#platform/server/runs/runs.ts'
import { type NewFormat, newFormats, screenDensity } from '../limits.ts'
import { type MeasuringInput, type MeasuringOutput, measuringOf } from './store.ts'

export type ConvertServices = { web: PublicWeb; images: ImageEngine; storage: Storage }

const maxBytes = 30 * 1024 * 1024
const fetchWithinMs = 60_000
const thumbnailEdge = 96

/** Hard to tell apart by eye, and as the server delivers them. */
const qualities: Record<NewFormat, number> = { webp: 80, avif: 50 }

export function measurePictures(services: ConvertServices & { db: Db }, signal: AbortSignal): WorkOnItem {
  return async (item, mark) => {
    const output = JSON.stringify(await measure(services, measuringOf(item), signal))
    await services.db.transaction().execute((transaction) => mark(transaction, { output }))
  }
}

async function measure(services: ConvertServices, { url, foundOn, shownWidth }: MeasuringInput, signal: AbortSignal) {
  const { images, storage } = services
  return withFetched(services, url, { foundOn, signal }, async (path): Promise<MeasuringOutput> => {
    const { width, height } = await images.inspect(path)
    const newWidth = rightWidth(width, shownWidth)
    const sizes: Record<NewFormat, number | null> = { webp: null, avif: null }
    let failure: unknown
    for (const format of newFormats) {
      signal.throwIfAborted()
      const outputPath = storage.derived.temporaryPath(format)
      try {
        sizes[format] = (await convertPicture(images, { path, outputPath, format, width, height, newWidth })).bytes
      } catch (error) {
        // An animation can become a WebP, but not an AVIF.
        if (!(error instanceof AppError) || error.status >= 500) throw error
        failure = error
      } finally {
        await rm(outputPath, { force: true })
      }
    }
    if (sizes.webp === null && sizes.avif === null) throw failure
    const { data, ...shape } = await images.shrink({ path, edge: thumbnailEdge })
    const thumbnail = { ...shape, data: Buffer.from(data).toString('base64') }
    return { bytes: (await stat(path)).size, width, height, newWidth, ...sizes, thumbnail }
  })
}

/** Dense screens show twice the width at which a page shows a picture; it is never enlarged. */
export const rightWidth = (width: number, shownWidth: number | null) =>
  Math.min(width, shownWidth === null ? width : screenDensity * shownWidth)

type Conversion = {
  path: string
  outputPath: string
  format: NewFormat
  width: number
  height: number
  newWidth: number
}

export function convertPicture(images: ImageEngine, { path, outputPath, format, ...size }: Conversion) {
  const { width, height, newWidth } = size
  const longestSide = Math.max(1, Math.round(newWidth * Math.max(1, height / width)))
  return images.convert({ path, outputPath, format, quality: qualities[format], longestSide })
}

/** Passes the path of a temporary file, which is removed afterwards. */
export async function withFetched<T>(
  { web, storage }: Pick<ConvertServices, 'web' | 'storage'>,
  url: string,
  { foundOn, signal }: { foundOn: string; signal?: AbortSignal },
  use: (path: string) => Promise<T>,
): Promise<T> {
  const path = storage.derived.temporaryPath()
  try {
    await web.fetchFile(url, { destination: path, maxBytes, timeMs: fetchWithinMs, foundOn, signal })
    return await use(path)
  } finally {
    await rm(path, { force: true })
  }
}
