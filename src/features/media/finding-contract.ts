import { z } from 'zod'
import { route } from '#platform/contract.ts'
import { CountQuery } from './contract.ts'
import { maxSearchLength } from './limits.ts'
import { Direction } from './search-contract.ts'

/** How many items of a list each month has. */
export const MonthsQuery = CountQuery.extend({
  by: z.enum(['taken', 'added'], 'must be taken or added').default('taken'),
  direction: Direction.default('desc'),
})
export type MonthsQuery = z.output<typeof MonthsQuery>

/** `offset`: how many items of the list are before the month, in the requested direction. */
export const Month = z.object({ month: z.string(), count: z.number(), offset: z.number() })
export type Month = z.infer<typeof Month>

/** `text` replaces the word from `from` to `to`; `count` is how many items it finds, where that is known. */
export const Suggestion = z.object({
  kind: z.enum(['tag', 'collection', 'website', 'place', 'camera', 'filter', 'value']),
  text: z.string(),
  label: z.string(),
  count: z.number().nullable(),
})
export type Suggestion = z.infer<typeof Suggestion>

export const findingApi = {
  months: route({
    method: 'GET',
    path: '/api/media/months',
    summary: 'Count the items of each month',
    query: MonthsQuery,
    response: z.array(Month),
  }),
  suggestions: route({
    method: 'GET',
    path: '/api/media/suggestions',
    summary: 'Suggest tags, collections, places, cameras and filters for a search',
    query: z.object({
      search: z.string().max(maxSearchLength, `A search can have up to ${maxSearchLength} characters.`).default(''),
      caret: z.coerce
        .number()
        .int()
        .min(0)
        .max(maxSearchLength)
        .optional()
        .describe('The end of the search by default'),
    }),
    response: z.object({ from: z.number(), to: z.number(), suggestions: z.array(Suggestion) }),
  }),
}
