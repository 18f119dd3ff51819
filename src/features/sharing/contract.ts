import { z } from 'zod'
import { RefusedCss } from '#features/collections/contract.ts'
import { FocalPoint, IdParams } from '#features/media/contract.ts'
import { Language } from '#features/media/words-contract.ts'
import { Branding } from '#features/websites/branding.ts'
import { route } from '#platform/contract.ts'

/** The same answer for an unknown, private, trashed or expired collection, so that they cannot be told apart. */
export const collectionNotFound = "The collection you're looking for doesn't exist or is private."
export const mediaNotFound = "The file you're looking for doesn't exist or is private."

export const minSharePasswordLength = 6

/**
 * [Note: Public shapes are allow-lists] written by hand, so that a new field of an item is private until named here.
 */
export const PublicMedia = z.object({
  /** The id in the item's file URLs. */
  id: z.number(),
  filename: z.string(),
  title: z.string().nullable(),
  type: z.enum(['image', 'video']),
  mimeType: z.string(),
  size: z.number(),
  width: z.number().nullable(),
  height: z.number().nullable(),
  duration: z.number().nullable(),
  isAnimated: z.boolean(),
  /** Whether a placeholder behind the image would show through. */
  isTransparent: z.boolean(),
  /** What crops should keep in view; null: the center. */
  focalPoint: FocalPoint.nullable(),
  /** Absolute; when downloads are not allowed, an image's largest rendition. */
  originalUrl: z.string(),
  thumbnailUrl: z.string(),
  playbackUrl: z.string().nullable(),
  userDescription: z.string().nullable(),
  aiDescription: z.string().nullable(),
  aiTags: z.array(z.string()),
  /** Shown with the image: what a person wrote or changed, never an unread text of the AI. */
  caption: z.string().nullable(),
  /** The alternative text of the image; empty if it is decorative. */
  alt: z.string(),
  /** The language of `alt`; null if it is unknown. */
  altLanguage: z.string().nullable(),
  /** The item's own, else those of the website that the page belongs to. */
  creator: z.string().nullable(),
  credit: z.string().nullable(),
  licence: z.string().nullable(),
  colours: z.array(z.string()),
  createdAt: z.string(),
})
export type PublicMedia = z.infer<typeof PublicMedia>

/** What the lightbox needs in addition to the tile's own attributes. */
export type SlideData = {
  type: 'image' | 'video'
  name: string
  src: string | null
  avif?: string
  webp?: string
  /** The image's own size, when known. */
  width?: number
  height?: number
  caption: string | null
  download?: string
}

export const PublicCollection = z.object({
  name: z.string(),
  description: z.string().nullable(),
  publicSlug: z.string(),
  publicUrl: z.string(),
  mediaCount: z.number(),
  createdAt: z.string(),
  /** Null when the owner does not want to be named. */
  ownerName: z.string().nullable(),
  allowsDownload: z.boolean(),
  /** Null when downloads are not allowed. */
  downloadUrl: z.string().nullable(),
  /**
   * Excludes the custom CSS, which is written for this page's elements; visitors get only the allowed part of it, in
   * the style sheet. Images of the library have public addresses.
   */
  customBranding: Branding.omit({ customCss: true }).extend({
    logoUrl: z.string().optional(),
    headerImage: z.string().optional(),
  }),
})
export type PublicCollection = z.infer<typeof PublicCollection>

export const SharedImage = z.object({
  url: z.string(),
  thumbnailUrl: z.string(),
  width: z.number().nullable(),
  height: z.number().nullable(),
  alt: z.string(),
  altLanguage: z.string().nullable(),
  name: z.string(),
  mimeType: z.string(),
  isAnimated: z.boolean(),
  isTransparent: z.boolean(),
})
export type SharedImage = z.infer<typeof SharedImage>

export const SharingOptions = z.object({
  hasPassword: z.boolean(),
  expiresAt: z.string().nullable(),
  isExpired: z.boolean(),
  allowsDownload: z.boolean(),
})
export type SharingOptions = z.infer<typeof SharingOptions>

export const SharingChanges = z.object({
  password: z
    .string()
    .min(minSharePasswordLength, `The link password must have at least ${minSharePasswordLength} characters.`)
    .max(256)
    .nullable()
    .optional()
    .describe('null removes the password'),
  expiresAt: z.iso
    .datetime({ offset: true, error: 'Please enter a date and time.' })
    .nullable()
    .optional()
    .describe('null: the link does not expire'),
  allowsDownload: z.boolean().optional(),
})
export type SharingChanges = z.input<typeof SharingChanges>

const SlugParams = z.object({ slug: z.string().max(200) })
const LanguageQuery = z.object({
  lang: Language.optional().describe('The language of alt texts; without one, as the browser accepts'),
})

export const sharingApi = {
  options: route({
    method: 'GET',
    path: '/api/collections/:id/sharing',
    summary: 'Get the sharing options: password, expiry, downloads',
    params: IdParams,
    response: SharingOptions,
  }),
  changeOptions: route({
    method: 'PATCH',
    path: '/api/collections/:id/sharing',
    summary: 'Update the sharing options',
    params: IdParams,
    body: SharingChanges,
    response: SharingOptions,
  }),
  statistics: route({
    method: 'GET',
    path: '/api/collections/:id/statistics',
    summary: 'Get views of the public page, in total and by day',
    params: IdParams,
    response: z.object({ total: z.number(), days: z.array(z.object({ day: z.string(), views: z.number() })) }),
  }),
  preview: route({
    method: 'POST',
    path: '/api/collections/:id/preview',
    summary: 'Preview the public page with this branding',
    params: IdParams,
    body: Branding,
    response: z.object({
      html: z.string(),
      refused: z.array(RefusedCss),
      /** The dominant colors of a logo from the library, and of the images that the preview shows. */
      colours: z.object({ logo: z.array(z.string()), pictures: z.array(z.string()) }),
    }),
  }),
}

export const publicApi = {
  collection: route({
    method: 'GET',
    path: '/api/public/collections/:slug',
    summary: 'Get a public collection and its items; any website can read it',
    params: SlugParams,
    query: LanguageQuery,
    response: z.object({ collection: PublicCollection, media: z.array(PublicMedia) }),
  }),
  urls: route({
    method: 'GET',
    path: '/api/public/collections/:slug/urls',
    summary: "List the direct URLs of a public collection's files",
    params: SlugParams,
    query: LanguageQuery,
    response: z.object({ urls: z.array(z.string()) }),
  }),
  images: route({
    method: 'GET',
    path: '/api/public/collections/:slug/images',
    summary: 'List the images of a public collection for use on a website',
    params: SlugParams,
    query: LanguageQuery,
    response: z.object({ images: z.array(SharedImage) }),
  }),
  data: route({
    method: 'GET',
    path: '/api/public/collections/:slug/data',
    summary: 'Get a public collection with its branding and all public item data',
    params: SlugParams,
    query: LanguageQuery,
    response: PublicCollection.extend({ media: z.array(PublicMedia) }),
  }),
  unlock: route({
    method: 'POST',
    path: '/api/public/collections/:slug/unlock',
    summary: 'Unlock a password-protected collection',
    params: SlugParams,
    body: z.object({ password: z.string('Please enter the password.').max(256) }),
    response: z.object({ isUnlocked: z.literal(true) }),
  }),
  media: route({
    method: 'GET',
    path: '/api/public/media/:slug',
    summary: 'Get a public item',
    params: SlugParams,
    query: LanguageQuery,
    response: z.object({ media: PublicMedia }),
  }),
}
