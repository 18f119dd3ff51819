import { formatBytes } from '#shared/bytes.ts'
import type { PreviewImage } from '../contract.ts'

/** "1600 × 900 · 240.0 KB", or the parts of it that are known. */
export function describeSize({ width, height, bytes }: Pick<PreviewImage, 'width' | 'height' | 'bytes'>): string {
  const pixels = width && height ? `${width} × ${height}` : ''
  return [pixels, bytes ? formatBytes(bytes) : ''].filter(Boolean).join(' · ')
}
