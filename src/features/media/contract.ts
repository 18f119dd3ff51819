import { z } from 'zod'
import { RunId, route } from '#platform/contract.ts'
import { maxFilenameLength } from '#shared/filenames.ts'
import { maxSlugLength, minSlugLength, toSlugInput } from '#shared/slug.ts'
import { parsePattern } from '#shared/web-names.ts'
import { ConfiguredServices } from './configured-services.ts'
import {
  exampleLength,
  maxDescriptionLength,
  maxItemsAtOnce,
  maxTagLength,
  maxTags,
  sorts,
  tooManyTags,
} from './limits.ts'
import { Direction, FoundCollections, Notes, Search } from './search-contract.ts'
import { AltTexts, WordChanges } from './words-contract.ts'

/** Coercion would also turn `true`, `[7]` and null into numbers. */
const wordOrNumber = (given: unknown) => (typeof given === 'string' || typeof given === 'number' ? given : Number.NaN)
export const Id = z.preprocess(wordOrNumber, z.coerce.number().int().positive().max(Number.MAX_SAFE_INTEGER))
export const IdParams = z.object({ id: Id })
export const MediaIds = z
  .array(Id, 'Select at least one item.')
  .min(1, 'Select at least one item.')
  .max(maxItemsAtOnce, `At most ${maxItemsAtOnce.toLocaleString('en')} items at once.`)

/** A tag and its source: a model, or a user who added or kept it. */
export const TagOrigin = z.object({ tag: z.string(), source: z.enum(['ai', 'person']), score: z.number().nullable() })

export const Exif = z.object({
  takenAt: z.string().optional(),
  camera: z.string().optional(),
  lens: z.string().optional(),
  focalLength: z.number().optional(),
  aperture: z.number().optional(),
  exposure: z.string().optional(),
  iso: z.number().optional(),
  latitude: z.number().optional(),
  longitude: z.number().optional(),
  /** The nearest town, such as "Zermatt, Switzerland", found by the built-in AI. */
  place: z.string().optional(),
})
export type Exif = z.infer<typeof Exif>

const part = z.number().min(0, 'must be between 0 and 1').max(1, 'must be between 0 and 1')
/** The point that crops keep in view, as parts of the upright picture's width and height. */
export const FocalPoint = z.object({ x: part, y: part })

/** `isPublic` means that visitors can currently see the item there. */
const InCollection = z.object({ id: z.number(), name: z.string(), isPublic: z.boolean() })

/** An item of a list, with the fields of the data model and those that a card shows. */
export const Media = z.object({
  id: z.number(),
  filename: z.string(),
  mimeType: z.string(),
  type: z.enum(['image', 'video']),
  size: z.number(),
  width: z.number().nullable(),
  height: z.number().nullable(),
  duration: z.number().nullable(),
  isAnimated: z.boolean(),
  createdAt: z.string(),
  /** When it was taken, in the camera's local time unless it ends with an offset; null if the file does not say. */
  takenAt: z.string().nullable(),
  viewCount: z.number(),
  originalUrl: z.string(),
  thumbnailUrl: z.string(),
  /** The address that browsers play; null for pictures and while a playable version is being created. */
  playbackUrl: z.string().nullable(),
  playback: z.enum(['as-is', 'pending', 'rendition', 'failed']),
  /** A strip of key frames for scrubbing on hover; videos only. */
  sprite: z
    .object({
      url: z.string(),
      frames: z.number(),
      columns: z.number(),
      frameWidth: z.number(),
      frameHeight: z.number(),
    })
    .nullable(),
  publicUrl: z.string().nullable(),
  publicUrlSlug: z.string().nullable(),
  /** The address of the file for websites, `/i/{slug}`; absolute, and null unless visitors can see it. */
  fileUrl: z.string().nullable(),
  altTexts: AltTexts,
  isDecorative: z.boolean(),
  userDescription: z.string().nullable(),
  aiDescription: z.string().nullable(),
  aiTags: z.array(z.string()),
  collections: z.array(InCollection),
  isFavorite: z.boolean(),
  trashedAt: z.string().nullable(),
  processingError: z.string().nullable(),
  /** The result of the last file check; a damaged file may still be partly visible. */
  file: z.enum(['ok', 'damaged', 'missing']),
  thumbhash: z.string().nullable(),
  /** The owner's point, or the one that the AI found; null: the center. */
  focalPoint: FocalPoint.nullable(),
  aiStatus: z.enum(['none', 'waiting', 'done', 'failed']),
})
export type Media = z.infer<typeof Media>

/** One item with all its details, as shown in the viewer. */
export const MediaDetails = Media.extend({
  title: z.string().nullable(),
  creator: z.string().nullable(),
  credit: z.string().nullable(),
  licence: z.string().nullable(),
  sourceUrl: z.string().nullable(),
  /** Of the websites of its collections, the main ones first. */
  websiteLanguages: z.array(z.string()),
  smartCollections: z.array(InCollection).describe('Those whose search it matches now'),
  /** Whether search engines may list its public page; null: as the owner's setting says. */
  isIndexed: z.boolean().nullable(),
  updatedAt: z.string(),
  tagOrigins: z.array(TagOrigin),
  /** Whether the owner chose the focal point. */
  isFocalPointOwn: z.boolean(),
  colours: z.array(z.string()),
  exif: Exif.nullable(),
  aiError: z.string().nullable(),
  /** "local" is the built-in AI. */
  aiProvider: z.string().nullable(),
  aiModel: z.string().nullable(),
  aiAnalysedAt: z.string().nullable(),
})
export type MediaDetails = z.infer<typeof MediaDetails>

/** An item from a list, whose details may not have loaded yet. */
export type ViewedMedia = Media & Partial<MediaDetails>

export const Pagination = z.object({
  currentPage: z.number(),
  totalPages: z.number(),
  totalCount: z.number(),
  /** True if a search matched more items than were counted; `totalCount` is then a lower bound, and `count` is exact. */
  isTotalCapped: z.boolean(),
  hasPrevPage: z.boolean(),
  hasNextPage: z.boolean(),
})
export type Pagination = z.infer<typeof Pagination>

const isTrue = z.enum(['true', 'false', '1', '0']).transform((value) => value === 'true' || value === '1')
const limitWords = 'must be between 1 and 200'
/** Which items a list contains. */
export const CountQuery = z.object({
  search: Search.optional(),
  collectionId: Id.optional(),
  type: z.enum(['image', 'video'], 'must be image or video').optional(),
  favorite: isTrue.optional(),
  trashed: isTrue.optional(),
})
export type CountQuery = z.output<typeof CountQuery>

const wrongExample = 'must be the response of POST /api/media/example'
export const MediaQuery = CountQuery.extend({
  page: z.coerce.number().int().min(1, 'Pages start at 1.').max(1_000_000).default(1),
  limit: z.coerce.number().int().min(1, limitWords).max(200, limitWords).default(50),
  sort: z.enum(sorts, 'must be recent, taken, name, size, type or manual').optional(),
  direction: Direction.optional(),
  similarToId: Id.optional().describe(
    'Lists the items that look like this one on a single page, most similar first; only type and favorite apply too',
  ),
  example: z
    .base64url(wrongExample)
    .length(exampleLength, wrongExample)
    .optional()
    .describe('The same for a picture outside the library; see POST /api/media/example'),
})
export type MediaQuery = z.output<typeof MediaQuery>

const Filename = z
  .string('Please enter a name.')
  .trim()
  .min(1, 'Please enter a name.')
  .max(maxFilenameLength, `A name can have up to ${maxFilenameLength} characters.`)

export const Tag = z
  .string()
  .trim()
  .toLowerCase()
  // Databases replace lone surrogates, so tags that differ only in them would become the same.
  .overwrite((text) => text.toWellFormed())
  .min(1, "A tag can't be empty.")
  .max(maxTagLength, `A tag can have up to ${maxTagLength} characters.`)

export const Description = z
  .string()
  .trim()
  .max(maxDescriptionLength, `A description can have up to ${maxDescriptionLength.toLocaleString('en')} characters.`)

export const MediaPatch = z.object({
  ...WordChanges.shape,
  filename: Filename.optional(),
  userDescription: Description.nullish(),
  aiDescription: Description.nullish(),
  aiTags: z.array(Tag).max(maxTags, tooManyTags).optional(),
  addTags: z.array(Tag).max(maxTags, tooManyTags).optional().describe('Added to the existing tags'),
  isFavorite: z.boolean().optional(),
  isIndexed: z.boolean().nullish().describe('Whether search engines may list its page; null: as your setting says'),
  focalPoint: FocalPoint.nullish().describe('null: back to the point that the AI found'),
})
export type MediaPatch = z.output<typeof MediaPatch>

/** A name that a user reviews before it is given. */
export const NewName = z.object({ id: z.number(), from: z.string(), to: z.string(), thumbnailUrl: z.string() })
export type NewName = z.infer<typeof NewName>

export const ReviewedNames = z.array(
  z.object({
    id: Id,
    to: z.string().trim().min(1).max(maxFilenameLength),
    from: z.string().optional().describe('the current name; an item renamed since keeps its new one'),
  }),
)

/** A pattern of names on the web, or nothing. */
export const NamePattern = z.string().check((context) => {
  const problem = context.value === '' ? undefined : parsePattern(context.value).problem
  if (problem) context.issues.push({ code: 'custom', message: problem, input: context.value })
})

export const EndsEarlierUrls = z
  .boolean()
  .optional()
  .describe('true: earlier URLs, which may have leaked, no longer redirect')

export const Slug = z
  .string('Please enter a URL.')
  .transform(toSlugInput)
  .pipe(
    z
      .string()
      .min(minSlugLength, `The URL must have at least ${minSlugLength} letters, digits or hyphens.`)
      .max(maxSlugLength, `The URL must have at most ${maxSlugLength} characters.`),
  )
  .describe('Lowercased, and other characters removed; the result must have 3 to 50 of a-z, 0-9 and -')

export const mediaApi = {
  list: route({
    method: 'GET',
    path: '/api/media',
    summary: 'List media',
    query: MediaQuery,
    response: z.object({
      media: z.array(Media),
      // Similar results on the first page of a search, which do not match all words.
      near: z.array(Media).optional(),
      inCollections: FoundCollections.optional(),
      notes: Notes.optional(),
      pagination: Pagination,
    }),
  }),
  count: route({
    method: 'GET',
    path: '/api/media/count',
    summary: 'Count media exactly',
    query: CountQuery,
    response: z.object({ totalCount: z.number() }),
  }),
  get: route({
    method: 'GET',
    path: '/api/media/:id',
    summary: 'Get an item',
    params: IdParams,
    response: MediaDetails,
  }),
  patch: route({
    method: 'PATCH',
    path: '/api/media/:id',
    summary: 'Update the name, words, tags, favorite flag or focal point',
    params: IdParams,
    body: MediaPatch,
    response: MediaDetails,
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/media/:id',
    summary: 'Permanently delete an item',
    params: IdParams,
    response: z.object({ message: z.string() }),
  }),
  makePublic: route({
    method: 'POST',
    path: '/api/media/:id/public',
    summary: 'Create a public URL for an item',
    params: IdParams,
    response: z.object({
      publicUrl: z.string(),
      publicUrlSlug: z.string(),
      isEarlierUrl: z.boolean().describe('Whether the item had this URL when it was public before'),
      media: MediaDetails,
    }),
  }),
  makePrivate: route({
    method: 'DELETE',
    path: '/api/media/:id/public',
    summary: 'Remove the public URL of an item',
    params: IdParams,
    response: MediaDetails,
  }),
  renamePublicUrl: route({
    method: 'PATCH',
    path: '/api/media/:id/public-url',
    summary: 'Rename the public URL; the old one redirects',
    params: IdParams,
    body: z.object({ publicUrlSlug: Slug, endsEarlierUrls: EndsEarlierUrls }),
    response: MediaDetails,
  }),
  copy: route({
    method: 'POST',
    path: '/api/media/:id/copy',
    summary: 'Duplicate an item; the stored file is shared',
    params: IdParams,
    body: z.object({ runId: RunId.optional() }).nullish(),
    success: 201,
    response: MediaDetails,
  }),
  services: route({
    method: 'GET',
    path: '/api/services',
    summary: 'Check which services are configured',
    response: ConfiguredServices,
  }),
  analyze: route({
    method: 'POST',
    path: '/api/media/:id/analyze',
    summary: 'Re-run AI analysis on an item',
    params: IdParams,
    response: MediaDetails,
  }),
  cancelAnalysis: route({
    method: 'POST',
    path: '/api/media/:id/cancel-analysis',
    summary: 'Cancel the pending analysis of an item',
    params: IdParams,
    response: MediaDetails,
  }),
  suggestTags: route({
    method: 'POST',
    path: '/api/media/:id/suggest-tags',
    summary: 'Suggest tags without saving them',
    params: IdParams,
    response: z.object({ suggestedTags: z.array(z.string()) }),
  }),
  syncImageKitName: route({
    method: 'PUT',
    path: '/api/media/:id/sync-imagekit-name',
    summary: 'Sync the name to ImageKit',
    params: IdParams,
    body: z.object({ newName: Filename }),
    response: z.object({
      oldName: z.string(),
      newName: z.string(),
      newUrl: z.string(),
      message: z.string(),
      /** True if the name changed with a remark that is in the message. */
      warning: z.boolean(),
    }),
  }),
  reprocess: route({
    method: 'POST',
    path: '/api/media/:id/reprocess',
    summary: 'Retry processing a video',
    params: IdParams,
    response: MediaDetails,
  }),
}

/** The response of changing many items. */
export const OutcomeOfMany = z.object({
  summary: z.object({ successful: z.number(), failed: z.number() }),
  errors: z.array(z.object({ id: z.number(), message: z.string() })),
})

export const trashApi = {
  trash: route({
    method: 'POST',
    path: '/api/media/bulk-trash',
    summary: 'Move items to the trash',
    body: z.object({ mediaIds: MediaIds }),
    response: OutcomeOfMany,
  }),
  restore: route({
    method: 'POST',
    path: '/api/media/bulk-restore',
    summary: 'Restore items from the trash',
    body: z.object({ mediaIds: MediaIds }),
    response: OutcomeOfMany,
  }),
  emptyTrash: route({
    method: 'DELETE',
    path: '/api/trash',
    summary: 'Empty the trash',
    response: z.object({ deleted: z.number() }),
  }),
}
