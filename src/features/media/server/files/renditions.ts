import { z } from 'zod'
import { renditionWidths } from '../../rendition-widths.ts'

const renditionFormats = ['webp', 'avif', 'jpeg'] as const
type RenditionFormat = (typeof renditionFormats)[number]

/** What an address may ask for beyond the bytes themselves. */
export const FileWish = z.object({
  w: z.coerce
    .number()
    .refine(
      (width) => (renditionWidths as readonly number[]).includes(width),
      `must be one of ${renditionWidths.join(', ')}`,
    )
    .optional(),
  format: z.enum(renditionFormats, `must be one of ${renditionFormats.join(', ')}`).optional(),
  /** Of a conversion's preview, which only the owner can ask for. */
  quality: z.coerce.number().int().min(1).max(100).optional(),
  download: z.enum(['0', '1']).optional(),
})
export type FileWish = z.output<typeof FileWish>

export const renditionMimeTypes: Record<RenditionFormat, string> = {
  webp: 'image/webp',
  avif: 'image/avif',
  jpeg: 'image/jpeg',
}

export function recipeOf({ w, format = 'webp' }: FileWish) {
  return `${w ?? 'full'}.${format}`
}
