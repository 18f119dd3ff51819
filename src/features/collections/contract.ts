import { z } from 'zod'
import { EndsEarlierUrls, Id, IdParams, Media, MediaIds, Slug } from '#features/media/contract.ts'
import { Search } from '#features/media/search-contract.ts'
import { Branding } from '#features/websites/branding.ts'
import { RunId, route } from '#platform/contract.ts'
import { maxNameLength } from './limits.ts'

export const RefusedCss = z.object({ text: z.string(), reason: z.string(), line: z.number() })
export type RefusedCss = z.infer<typeof RefusedCss>

export const Collection = z.object({
  id: z.number(),
  name: z.string(),
  description: z.string().nullable(),
  company: z.string().nullable(),
  query: z
    .string()
    .nullable()
    .describe('The search of a smart collection, whose items are those that match it now; else null'),
  websiteId: z.number().nullable().describe('The website with the name of the company'),
  isPublic: z.boolean(),
  publicSlug: z.string().nullable(),
  publicUrl: z.string().nullable(),
  viewCount: z.number(),
  mediaCount: z.number(),
  createdAt: z.string(),
  updatedAt: z.string(),
  coverMediaId: z.number().nullable(),
  sampleMedia: z.array(Media),
  customBranding: Branding,
})
export type Collection = z.infer<typeof Collection>

export const CollectionSummary = Collection.pick({
  id: true,
  name: true,
  query: true,
  isPublic: true,
  mediaCount: true,
  websiteId: true,
})
export type CollectionSummary = z.infer<typeof CollectionSummary>

const Name = z
  .string('Please enter a name.')
  .trim()
  .min(1, 'Please enter a name.')
  .max(maxNameLength, `A name can have up to ${maxNameLength} characters.`)
/** Accepts null as responses contain it, since a client may send the whole collection back. */
const optionalText = z.string().trim().max(2000).nullish()

/** A search that would match everything is probably an empty field. */
const Query = Search.min(1, 'Please enter a search.').describe(
  'Makes a smart collection: its items are always those that match this search',
)

export const CollectionDraft = z.object({
  name: Name,
  description: optionalText,
  company: optionalText,
  query: Query.nullish(),
})
export type CollectionDraft = z.input<typeof CollectionDraft>

export const collectionsApi = {
  list: route({
    method: 'GET',
    path: '/api/collections',
    summary: 'List collections; summary=true returns only names and counts',
    query: z.object({ summary: z.enum(['true', 'false']).optional() }),
    response: z.union([z.array(Collection), z.array(CollectionSummary)]),
  }),
  get: route({
    method: 'GET',
    path: '/api/collections/:id',
    summary: 'Get a collection',
    params: IdParams,
    response: Collection,
  }),
  create: route({
    method: 'POST',
    path: '/api/collections',
    summary: 'Create a collection, or with a query a smart collection',
    body: CollectionDraft.extend({ runId: RunId.optional() }),
    success: 201,
    response: Collection,
  }),
  update: route({
    method: 'PATCH',
    path: '/api/collections/:id',
    summary: 'Update the name, description or cover of a collection, or the search of a smart one',
    params: IdParams,
    body: CollectionDraft.partial().extend({ coverMediaId: Id.nullable().optional() }),
    response: Collection,
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/collections/:id',
    summary: 'Delete a collection; its items are kept',
    params: IdParams,
    response: z.object({ message: z.string() }),
  }),
  freeze: route({
    method: 'POST',
    path: '/api/collections/:id/freeze',
    summary: 'Make a smart collection a normal one with the items that match its search now',
    params: IdParams,
    response: Collection,
  }),
  duplicate: route({
    method: 'POST',
    path: '/api/collections/:id/duplicate',
    summary: 'Duplicate a collection for another website; stored files are shared',
    params: IdParams,
    body: CollectionDraft.omit({ query: true }).extend({ runId: RunId.optional() }),
    success: 201,
    response: z.object({ collection: Collection, stats: z.object({ copiedMedia: z.number() }) }),
  }),
  renameUrl: route({
    method: 'PATCH',
    path: '/api/collections/:id/url',
    summary: 'Rename the public URL; the old one redirects',
    params: IdParams,
    body: z.object({ publicSlug: Slug, endsEarlierUrls: EndsEarlierUrls }),
    response: Collection,
  }),
  checkUrl: route({
    method: 'GET',
    path: '/api/collections/:id/url-check',
    summary: 'Check whether a public URL is available',
    params: IdParams,
    query: z.object({ slug: z.string().max(200).default('') }),
    response: z.object({ slug: z.string(), isAvailable: z.boolean(), message: z.string() }),
  }),
  brand: route({
    method: 'PATCH',
    path: '/api/collections/:id/branding',
    summary: 'Update the branding',
    params: IdParams,
    body: Branding,
    response: Collection,
  }),
  setVisibility: route({
    method: 'PATCH',
    path: '/api/collections/:id/visibility',
    summary: 'Make a collection public or private',
    params: IdParams,
    body: z.object({ isPublic: z.boolean() }),
    response: Collection,
  }),
  listMedia: route({
    method: 'GET',
    path: '/api/collections/:id/media',
    summary: "List a collection's items in the owner's order",
    params: IdParams,
    response: z.object({ media: z.array(Media) }),
  }),
  arrange: route({
    method: 'PATCH',
    path: '/api/collections/:id/order',
    summary: 'Move items before another item, or to the end',
    params: IdParams,
    body: z.object({
      mediaIds: MediaIds.describe('Items no longer in the collection are ignored'),
      beforeId: Id.nullable().describe('The item to insert before; null for the end'),
    }),
    response: z.object({ mediaIds: z.array(z.number()) }),
  }),
  addMedia: route({
    method: 'POST',
    path: '/api/collections/:collectionId/media/:mediaId',
    summary: 'Add an item; 409 with isDuplicate if it is already in the collection',
    params: z.object({ collectionId: Id, mediaId: Id }),
    success: 201,
    response: z.object({ message: z.string() }),
  }),
  removeMedia: route({
    method: 'DELETE',
    path: '/api/collections/:collectionId/media/:mediaId',
    summary: 'Remove an item from a collection; the item is kept',
    params: z.object({ collectionId: Id, mediaId: Id }),
    /** `beforeId` is the item that followed it, null at the end, so that an undo restores the position. */
    response: z.object({ message: z.string(), beforeId: z.number().nullable() }),
  }),
}
