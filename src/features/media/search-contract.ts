import { z } from 'zod'
import { directions, maxSearchLength } from './limits.ts'
import { parseSearch } from './search-query.ts'

/** Words and filters; a filter that makes no sense is refused in words, since an empty list would not tell. */
export const Search = z
  .string()
  .trim()
  .max(maxSearchLength, `A search can have up to ${maxSearchLength} characters.`)
  .superRefine((text, context) => {
    for (const { message } of parseSearch(text).faults) context.addIssue({ code: 'custom', message })
  })
  .describe('Words and filters such as type:video, -tag:draft, taken:2024..2025, size:>2mb or is:favorite')

export const FoundCollections = z
  .array(z.object({ id: z.number(), name: z.string(), mediaCount: z.number() }))
  .describe('Collections whose names match, on the first page of a search')

export const Notes = z
  .array(z.string())
  .describe('Sentences about filters that name something unknown, such as a collection that does not exist')

export const Direction = z
  .enum(directions, 'must be asc or desc')
  .describe('desc by default for recent, taken and size, and asc for the others')
