import { formatBytes } from '#shared/bytes.ts'
import { defaultQuality } from '../limits.ts'

export const singleQuality = { min: 30, max: 95, step: 5, usual: defaultQuality, usualForWebp: 65, warnBelow: 50 }

/** The initial quality; an image that is already WebP must be compressed harder to save anything. */
export function usualQuality(isWebp: boolean): number {
  return isWebp ? singleQuality.usualForWebp : singleQuality.usual
}

/** "about 1.2 MB, 72% smaller": shown until the size is measured. */
export function estimateText(originalBytes: number, quality: number, isWebp: boolean): string {
  const { bytes, savingsPercent } = estimateWebp(originalBytes, quality, isWebp)
  return `about ${formatBytes(bytes)}, ${savingsPercent}% smaller`
}

type Measured = { size: number; originalSize: number }

/** The measured size; a WebP that is not smaller than the original is discarded. */
export function measuredText(measured: Measured): string {
  const isSmaller = measured.size < measured.originalSize
  return `${formatBytes(measured.size)}, ${savingsText(measured)}${isSmaller ? '' : ' than the original'}`
}

/** "11% smaller", on the button once the size is measured. */
export function savingsText({ size, originalSize }: Measured): string {
  if (size >= originalSize) return 'not smaller'
  return `${Math.round((1 - size / originalSize) * 100)}% smaller`
}

export function qualityWarnings(quality: number, isWebp: boolean): string[] {
  const warnings: string[] = []
  if (quality < singleQuality.warnBelow)
    warnings.push('A quality below 50 causes noticeable degradation. 65-85 is recommended.')
  if (isWebp) warnings.push('This image is already WebP, so gains may be limited.')
  return warnings
}

/** A WebP shrinks by a further 15% at full quality, other images to about a third; the dialog then measures the real size. */
export function estimateWebp(originalBytes: number, quality: number, isWebp: boolean) {
  const bytes = Math.round(originalBytes * (quality / 100) * (isWebp ? 0.85 : 0.35))
  const savingsPercent = originalBytes > 0 ? Math.max(0, Math.round((1 - bytes / originalBytes) * 100)) : 0
  return { bytes, savingsPercent }
}
