import { formatBytes } from '#shared/bytes.ts'
import { defaultQuality } from '../contract.ts'
import { estimateWebp } from './webp-estimate.ts'

export const singleQuality = { min: 30, max: 95, step: 5, usual: defaultQuality, usualForWebp: 65, warnBelow: 50 }

/** The quality that a picture starts with; one that is WebP already needs more to gain anything. */
export function usualQuality(isWebp: boolean): number {
  return isWebp ? singleQuality.usualForWebp : singleQuality.usual
}

/** "about 1.2 MB, 72% smaller", until it is measured. */
export function estimateWords(originalBytes: number, quality: number, isWebp: boolean): string {
  const { bytes, savingsPercent } = estimateWebp(originalBytes, quality, isWebp)
  return `about ${formatBytes(bytes)}, ${savingsPercent}% smaller`
}

/** The truth, once it is measured; a WebP that is not smaller is not kept. */
export function measuredWords({ size, originalSize }: { size: number; originalSize: number }): string {
  if (size >= originalSize) return `${formatBytes(size)}, not smaller than the original`
  return `${formatBytes(size)}, ${Math.round((1 - size / originalSize) * 100)}% smaller`
}

export function qualityWarnings(quality: number, isWebp: boolean): string[] {
  const warnings: string[] = []
  if (quality < singleQuality.warnBelow)
    warnings.push('A quality below 50 causes noticeable degradation. 65-85 is recommended.')
  if (isWebp) warnings.push('This image is already WebP, so gains may be limited.')
  return warnings
}
