import { z } from 'zod'

/** `#rgb`, `#rrggbb`, with or without transparency. */
export const Colour = z
  .string()
  .trim()
  .regex(/^#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i, 'Use a color like #3b82f6.')

/**
 * A logo or header: an https address, or one of the library's own files; empty for none. Only the server can tell
 * whether an absolute address belongs to this library.
 */
export const isPictureAddress = (text: string) =>
  text === '' || /^https:\/\/[^\s/]/i.test(text) || /^(?:http:\/\/[^\s/]+)?\/files\/\d+\//i.test(text)
export const noPictureAddress = 'Enter an https URL or choose an image from your library.'
const PictureAddress = z
  .string()
  .trim()
  .max(2000)
  .refine(isPictureAddress, noPictureAddress)
  .describe('An https URL or a file of the library; empty for none')

export const defaultBranding = {
  backgroundColor: '#ffffff',
  textColor: '#000000',
  accentColor: '#3b82f6',
  showOwnerInfo: true,
} as const

export const Branding = z.object({
  title: z.string().trim().max(200).optional(),
  subtitle: z.string().trim().max(500).optional(),
  backgroundColor: Colour.optional(),
  textColor: Colour.optional(),
  accentColor: Colour.optional(),
  logoUrl: PictureAddress.optional(),
  headerImage: PictureAddress.optional(),
  showOwnerInfo: z.boolean().optional(),
  /** False: search engines are asked not to list the page. */
  isIndexed: z.boolean().optional(),
  /** True: the page does not name Albumen. */
  isWhiteLabel: z.boolean().optional(),
  footerLine: z.string().trim().max(300, 'The footer can have up to 300 characters.').optional(),
  customCss: z.string().max(20_000, 'Custom CSS can have up to 20,000 characters.').optional(),
})
export type Branding = z.infer<typeof Branding>
