import { z } from 'zod'
import { MediaIds, Tag } from '#features/media/contract.ts'
import { maxSearchLength, tagColors } from '#features/media/limits.ts'
import { route } from '#platform/contract.ts'
import { maxListedTags, maxMergedTags } from './limits.ts'

export const LibraryTag = z.object({
  tag: z.string(),
  count: z.number().describe('Items outside the trash'),
  color: z.enum(tagColors).nullable(),
  isNever: z.boolean().describe('The AI never adds or suggests it'),
})
export type LibraryTag = z.infer<typeof LibraryTag>

/** `isRunning`: the rest of a large change goes on in the background. */
const TagOutcome = z.object({
  message: z.string(),
  changed: z.number(),
  changeId: z.number().optional().describe('Set if the change can be undone'),
  isRunning: z.boolean(),
})
export type TagOutcome = z.infer<typeof TagOutcome>

/** Why two tags may be the same. */
export const TagPair = z.object({
  tags: z.tuple([LibraryTag, LibraryTag]).describe('The more common one first'),
  reason: z.enum(['plural', 'spelling', 'meaning']),
})
export type TagPair = z.infer<typeof TagPair>

const named = z.object({ tag: Tag })

export const tagsApi = {
  list: route({
    method: 'GET',
    path: '/api/tags',
    summary: 'List your tags, the most used first',
    query: z.object({
      search: z.string().max(maxSearchLength).optional().describe('Only tags with a word that begins like this'),
      limit: z.coerce.number().int().min(1).max(maxListedTags).default(maxListedTags),
    }),
    response: z.array(LibraryTag),
  }),
  get: route({
    method: 'GET',
    path: '/api/tags/:tag',
    summary: 'Get a tag, and the smart collections whose search names it',
    params: named,
    response: LibraryTag.extend({ collections: z.array(z.string()).describe('Names of smart collections') }),
  }),
  change: route({
    method: 'PATCH',
    path: '/api/tags/:tag',
    isLong: true,
    summary: 'Rename a tag, set its color, or never suggest it again',
    params: named,
    body: z.object({
      name: Tag.optional(),
      color: z.enum(tagColors, `must be ${tagColors.join(', ')} or null`).nullish(),
      isNever: z.boolean().optional().describe('true: the AI never adds or suggests it; items that have it keep it'),
    }),
    response: TagOutcome,
  }),
  merge: route({
    method: 'POST',
    path: '/api/tags/merge',
    isLong: true,
    summary: 'Merge tags into one',
    body: z.object({
      from: z
        .array(Tag)
        .min(1, 'Choose at least one tag to merge.')
        .max(maxMergedTags, `Merge up to ${maxMergedTags} tags at a time.`),
      into: Tag,
    }),
    response: TagOutcome,
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/tags/:tag',
    isLong: true,
    summary: 'Remove a tag from all items',
    params: named,
    query: z.object({
      isNever: z
        .stringbool('must be true or false')
        .meta({ enum: ['true', 'false'] })
        .default(false)
        .describe('Also never suggest it again'),
    }),
    response: TagOutcome,
  }),
  suggestions: route({
    method: 'GET',
    path: '/api/tags/suggestions',
    summary: 'List pairs of tags that are likely the same',
    response: z.object({
      pairs: z.array(TagPair),
      isComplete: z.boolean().describe('false: the built-in AI is still comparing; ask again'),
    }),
  }),
  dismiss: route({
    method: 'POST',
    path: '/api/tags/suggestions/dismiss',
    summary: 'Stop suggesting that two tags are the same',
    body: z.object({ tags: z.array(Tag).length(2, 'must be two tags') }),
    response: z.object({ message: z.string() }),
  }),
  ofSelection: route({
    method: 'POST',
    path: '/api/media/tag-counts',
    summary: 'List the tags of many items and how many of them have each',
    body: z.object({ mediaIds: MediaIds }),
    response: z.array(z.object({ tag: z.string(), count: z.number() })),
  }),
}
