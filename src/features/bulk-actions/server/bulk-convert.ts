import { convertToWebp } from '#features/conversion/server/convert.ts'
import type { IngestServices } from '#features/upload/server/ingest.ts'
import type { RunKind } from './runs.ts'

export type ConvertOptions = { quality: number; deleteOriginal: boolean }
export type ConvertTotals = { savedBytes: number; originalBytes: number; unchanged: number }

export function bulkConversion(services: IngestServices): RunKind<ConvertOptions, ConvertTotals> {
  return {
    kind: 'bulk-convert-webp',
    initialTotals: { savedBytes: 0, originalBytes: 0, unchanged: 0 },
    async work(media, options, totals) {
      const { originalSize, newSize, isConverted } = await convertToWebp(services, media, options)
      totals.originalBytes += originalSize
      if (isConverted) totals.savedBytes += originalSize - newSize
      else totals.unchanged++
    },
  }
}
