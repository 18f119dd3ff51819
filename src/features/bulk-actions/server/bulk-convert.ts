import { convertToWebp } from '#features/conversion/server/convert.ts'
import type { IngestServices } from '#features/upload/server/ingest.ts'
import type { RunKind } from './runs.ts'

type ConvertOptions = { quality: number; deleteOriginal: boolean }
export type ConvertTotals = { savedBytes: number; originalBytes: number; unchanged: number }

export const conversionKind = { kind: 'bulk-convert-webp', title: 'Convert to WebP' }

export function bulkConversion(services: IngestServices): RunKind<ConvertOptions, ConvertTotals> {
  return {
    kind: conversionKind.kind,
    initialTotals: { savedBytes: 0, originalBytes: 0, unchanged: 0 },
    async work(media, options, { totals, record }) {
      const { originalSize, isConverted } = await convertToWebp(services, media, {
        ...options,
        alsoWrite: (transaction, sizes) =>
          record(transaction, {
            ...totals,
            originalBytes: totals.originalBytes + sizes.originalSize,
            savedBytes: totals.savedBytes + sizes.originalSize - sizes.newSize,
          }),
      })
      if (!isConverted) {
        const originalBytes = totals.originalBytes + originalSize
        await record(services.db, { ...totals, originalBytes, unchanged: totals.unchanged + 1 })
      }
    },
  }
}
