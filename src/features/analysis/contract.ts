import { z } from 'zod'
import { Id, IdParams, Media } from '#features/media/contract.ts'
import { route } from '#platform/contract.ts'

export const maxAiItems = 10_000
const mostNames = 10_000

const MediaIds = z
  .array(Id, 'Please choose at least one item.')
  .min(1, 'Please choose at least one item.')
  .max(maxAiItems, `At most ${maxAiItems.toLocaleString('en')} items can be analysed at once.`)

/** Chosen by the page, so that it knows which progress events are its own; made by the server when absent. */
const RunId = z
  .string()
  .max(64)
  .regex(/^[\w-]+$/, 'has only letters, digits and hyphens')
const RunParams = z.object({ runId: RunId })

export const AiRun = z.object({
  runId: z.string(),
  kind: z.enum(['tag', 'rename']),
  status: z.enum(['running', 'done', 'cancelled', 'reverted']),
  total: z.number(),
  successful: z.number(),
  failed: z.number(),
})
export type AiRun = z.infer<typeof AiRun>

/** Sent to the owner's pages while a run goes on. */
export const AiRunEvent = AiRun.extend({ type: z.literal('ai-run') })

export const ItemError = z.object({ id: z.number(), message: z.string() })

/** What a run would do and cost, before anything is done. */
export const AiEstimate = z.object({
  images: z.number(),
  /** Looked at before by the same model: they cost nothing. */
  alreadyKnown: z.number(),
  estimatedTokens: z.number(),
  estimatedSeconds: z.number(),
  isPaid: z.boolean(),
  provider: z.string(),
  model: z.string(),
  /** Pictures that this month's limit still allows; null without a limit. */
  remainingThisMonth: z.number().nullable(),
})
export type AiEstimate = z.infer<typeof AiEstimate>

export const Similar = z.object({ media: Media, likeness: z.number() })
export type Similar = z.infer<typeof Similar>

export const NewName = z.object({ id: Id, from: z.string(), to: z.string() })
export type NewName = z.infer<typeof NewName>

export const AiRenameRequest = z.object({
  company: z
    .string('Please enter a company.')
    .trim()
    .min(1, 'Please enter a company.')
    .max(200, 'A company has at most 200 characters.'),
  context: z.string().trim().max(2000, 'The context has at most 2,000 characters.').optional(),
  /** Says which names would be given and gives none. */
  preview: z.boolean().default(false),
  /** Names from a preview, given as they were reviewed. */
  names: z
    .array(z.object({ id: Id, to: z.string().trim().min(1).max(255) }))
    .max(mostNames)
    .optional(),
})
export type AiRenameRequest = z.output<typeof AiRenameRequest>

export const analysisApi = {
  revert: route({
    method: 'POST',
    path: '/api/media/:id/revert-analysis',
    summary: 'Take back what the last analysis wrote; what a person wrote stays',
    params: IdParams,
    response: Media,
  }),
  similar: route({
    method: 'GET',
    path: '/api/media/:id/similar',
    summary: 'Pictures of the library that look alike, the most alike first',
    params: IdParams,
    query: z.object({ limit: z.coerce.number('must be a number').int().min(1).max(50).default(12) }),
    response: z.object({ similar: z.array(Similar) }),
  }),
  duplicates: route({
    method: 'GET',
    path: '/api/media/duplicates',
    summary: 'Groups of items that show the same picture',
    query: z.object({ limit: z.coerce.number('must be a number').int().min(1).max(100).default(50) }),
    response: z.object({ groups: z.array(z.array(Media)), total: z.number() }),
  }),
  estimate: route({
    method: 'POST',
    path: '/api/media/bulk-ai-tag/estimate',
    summary: 'How many pictures a bulk analysis would look at, and what that takes',
    body: z.object({ mediaIds: MediaIds }),
    response: AiEstimate,
  }),
  bulkTag: route({
    method: 'POST',
    path: '/api/media/bulk-ai-tag',
    summary: 'Describe and tag many items; a long run goes on after the answer',
    body: z.object({ mediaIds: MediaIds, runId: RunId.optional() }),
    response: z.object({
      message: z.string(),
      summary: z.object({ successful: z.number(), failed: z.number() }),
      errors: z.array(ItemError),
      run: AiRun,
    }),
  }),
  run: route({
    method: 'GET',
    path: '/api/ai-runs/:runId',
    summary: 'How far a run is',
    params: RunParams,
    response: AiRun.extend({ errors: z.array(ItemError) }),
  }),
  cancelRun: route({
    method: 'POST',
    path: '/api/ai-runs/:runId/cancel',
    summary: 'Stop a run after the item it is at; what is done stays',
    params: RunParams,
    response: AiRun,
  }),
  revertRun: route({
    method: 'POST',
    path: '/api/ai-runs/:runId/revert',
    summary: 'Take back everything a run did, except where a person changed it since',
    params: RunParams,
    response: z.object({ message: z.string(), reverted: z.number(), run: AiRun }),
  }),
  renameCollection: route({
    method: 'POST',
    path: '/api/collections/:id/ai-rename',
    summary: 'Give the images of a collection readable names; with preview only say which',
    params: IdParams,
    body: AiRenameRequest,
    response: z.object({
      message: z.string(),
      stats: z.object({ renamed: z.number(), unchanged: z.number() }),
      names: z.array(NewName),
      runId: z.string().nullable(),
    }),
  }),
}
