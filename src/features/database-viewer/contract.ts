import { z } from 'zod'
import { route } from '#platform/contract.ts'

/** A plain call shows a whole small library; a large one is paged through. */
const defaultRows = 1000
const maxRows = 1000
export const totalHeader = 'x-total-count'

export const DatabaseStats = z.object({
  mediaCount: z.number(),
  totalSize: z.number(),
  userCount: z.number(),
  adminCount: z.number(),
  collectionCount: z.number(),
  publicCollectionCount: z.number(),
  fileTypes: z.array(z.object({ type: z.string(), count: z.number() })),
})
export type DatabaseStats = z.infer<typeof DatabaseStats>

export const MediaRow = z.object({
  id: z.number(),
  filename: z.string(),
  mime_type: z.string(),
  type: z.string(),
  size: z.number(),
  width: z.number().nullable(),
  height: z.number().nullable(),
  user_id: z.number(),
  created_at: z.string(),
  ai_description: z.string().nullable(),
  user_description: z.string().nullable(),
})
export type MediaRow = z.infer<typeof MediaRow>

export const UserRow = z.object({
  id: z.number(),
  username: z.string(),
  email: z.string().optional(),
  is_admin: z.boolean(),
  storage_used: z.number(),
  created_at: z.string(),
})
export type UserRow = z.infer<typeof UserRow>

export const CollectionRow = z.object({
  id: z.number(),
  name: z.string(),
  user_id: z.number(),
  is_public: z.boolean(),
  public_slug: z.string().nullable(),
  view_count: z.number(),
  created_at: z.string(),
})
export type CollectionRow = z.infer<typeof CollectionRow>

export const RelationshipRow = z.object({
  media_id: z.number(),
  media_filename: z.string(),
  collection_id: z.number(),
  collection_name: z.string(),
})
export type RelationshipRow = z.infer<typeof RelationshipRow>

/** How many rows there are in all is said by the header `x-total-count`. */
function rowsQuery<const Columns extends [string, ...string[]]>(columns: Columns) {
  return z.object({
    limit: z.coerce.number().int().min(1).max(maxRows).default(defaultRows),
    offset: z.coerce.number().int().min(0).default(0),
    sort: z.enum(columns).optional(),
    order: z.enum(['asc', 'desc']).default('asc'),
    /** Part of a name, in any case. */
    filter: z.string().trim().max(200).default(''),
  })
}

export const MediaRowsQuery = rowsQuery(['id', 'filename', 'type', 'size', 'created_at'])
export const UserRowsQuery = rowsQuery(['id', 'username', 'email', 'is_admin', 'storage_used', 'created_at'])
export const CollectionRowsQuery = rowsQuery(['id', 'name', 'user_id', 'is_public', 'view_count', 'created_at'])
export const RelationshipRowsQuery = rowsQuery(['media_id', 'media_filename', 'collection_id', 'collection_name'])

export const databaseViewerApi = {
  stats: route({
    method: 'GET',
    path: '/api/database/stats',
    summary: 'Get counts for the whole database',
    response: DatabaseStats,
  }),
  media: route({
    method: 'GET',
    path: '/api/database/media',
    summary: 'List media rows',
    query: MediaRowsQuery,
    response: z.array(MediaRow),
  }),
  users: route({
    method: 'GET',
    path: '/api/database/users',
    summary: 'List user rows',
    query: UserRowsQuery,
    response: z.array(UserRow),
  }),
  collections: route({
    method: 'GET',
    path: '/api/database/collections',
    summary: 'List collection rows',
    query: CollectionRowsQuery,
    response: z.array(CollectionRow),
  }),
  relationships: route({
    method: 'GET',
    path: '/api/database/relationships',
    summary: 'List which items are in which collections',
    query: RelationshipRowsQuery,
    response: z.array(RelationshipRow),
  }),
}
