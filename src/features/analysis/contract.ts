import { z } from 'zod'
import { Id, IdParams, Media, MediaDetails, MediaIds, Pagination } from '#features/media/contract.ts'
import { maxTagLength, maxTags } from '#features/media/limits.ts'
import { route } from '#platform/contract.ts'
import { maxFilenameLength } from '#shared/filenames.ts'

/** A group of possible duplicates never shows more. */
export const mostPerGroup = 50

/** Chosen by the page, so that it knows which progress events are its own; made by the server when absent. */
const RunId = z
  .string()
  .max(64)
  .regex(/^[\w-]+$/, 'must have only letters, digits, hyphens and underscores')
const RunParams = z.object({ runId: RunId })

export const AiRun = z.object({
  runId: z.string(),
  kind: z.enum(['tag', 'rename']),
  /** A run that is to be reviewed waits in "review" until it is applied or discarded. */
  status: z.enum(['running', 'review', 'applying', 'done', 'cancelled', 'discarded', 'reverted']),
  total: z.number(),
  successful: z.number(),
  failed: z.number(),
})
export type AiRun = z.infer<typeof AiRun>

export const PastRun = AiRun.extend({ createdAt: z.string() })
export type PastRun = z.infer<typeof PastRun>

const ItemError = z.object({ id: z.number(), message: z.string() })

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
  /** Questions that this month's limit still allows, of which a picture takes one at least; null without a limit. */
  remainingThisMonth: z.number().nullable(),
})
export type AiEstimate = z.infer<typeof AiEstimate>

/** What a run would change on one item, as the item is now, and what of it the person wants. */
export const Proposal = z.object({
  media: Media,
  isAccepted: z.boolean(),
  provider: z.string(),
  model: z.string(),
  /** Why the preferred model did not look, when another one did. */
  note: z.string().nullable(),
  /** Null when the description stays: it is a person's, or the same. */
  description: z.object({ before: z.string().nullable(), after: z.string(), isAccepted: z.boolean() }).nullable(),
  tags: z.array(z.object({ tag: z.string(), change: z.enum(['kept', 'added', 'dropped']), isAccepted: z.boolean() })),
})
export type Proposal = z.infer<typeof Proposal>

export const ProposalChoice = z.object({
  isAccepted: z.boolean().optional(),
  isDescriptionAccepted: z.boolean().optional(),
  /** All tags whose change is not wanted. */
  refusedTags: z.array(z.string().trim().min(1).max(maxTagLength)).max(maxTags).optional(),
})
export type ProposalChoice = z.output<typeof ProposalChoice>

const AiReview = z.object({ runId: z.string(), items: z.number(), createdAt: z.string() })

const Similar = z.object({ media: Media, likeness: z.number() })

export const DifferentMedia = z
  .object({
    mediaIds: z
      .array(Id, 'Please say which items are different.')
      .max(mostPerGroup, `At most ${mostPerGroup} items can be told apart at once.`)
      .describe('At least two different ones'),
    differentId: Id.optional().describe(
      'One of them, when only this one differs from the others; without it, each differs from each',
    ),
  })
  .refine(({ mediaIds }) => new Set(mediaIds).size > 1, {
    path: ['mediaIds'],
    message: 'Please say of at least two items that they are different.',
  })
  .refine(({ mediaIds, differentId }) => differentId === undefined || mediaIds.includes(differentId), {
    path: ['differentId'],
    message: 'The item that is different has to be one of the group.',
  })
export type DifferentMedia = z.output<typeof DifferentMedia>

export const NewName = z.object({ id: Id, from: z.string(), to: z.string(), thumbnailUrl: z.string() })
export type NewName = z.infer<typeof NewName>

/** Of the company, as a collection's may have, and of the context. */
export const maxRenameWords = 2000

export const AiRenameRequest = z.object({
  company: z
    .string('Please enter a company.')
    .trim()
    .min(1, 'Please enter a company.')
    .max(maxRenameWords, 'A company has at most 2,000 characters.'),
  context: z.string().trim().max(maxRenameWords, 'The context has at most 2,000 characters.').optional(),
  /** Says which names would be given and gives none. */
  preview: z.boolean().default(false),
  /** Names from a preview, given as they were reviewed. */
  names: z
    .array(
      z.object({
        id: Id,
        to: z.string().trim().min(1).max(maxFilenameLength),
        from: z.string().optional().describe('the name it had: what has another one by now keeps that'),
      }),
    )
    .optional(),
})
export type AiRenameRequest = z.output<typeof AiRenameRequest>

export const analysisApi = {
  revert: route({
    method: 'POST',
    path: '/api/media/:id/revert-analysis',
    summary: 'Take back what the last analysis wrote; what a person wrote stays',
    params: IdParams,
    response: MediaDetails,
  }),
  similar: route({
    method: 'GET',
    path: '/api/media/:id/similar',
    summary: 'Pictures of the library that look alike, the most alike first',
    params: IdParams,
    query: z.object({ limit: z.coerce.number().int().min(1).max(50).default(12) }),
    response: z.object({ similar: z.array(Similar) }),
  }),
  duplicates: route({
    method: 'GET',
    path: '/api/media/duplicates',
    summary: 'Groups of items that show the same picture',
    query: z.object({
      limit: z.coerce.number().int().min(1).max(100).default(50),
      /** Where the page before ended: its `next`. */
      before: Id.optional(),
    }),
    response: z.object({
      groups: z.array(z.array(MediaDetails)),
      /** How many there are in all; a few of those not shown yet may turn out to look different. */
      total: z.number(),
      next: z.number().nullable(),
    }),
  }),
  dismissDuplicates: route({
    method: 'POST',
    path: '/api/media/duplicates/dismissals',
    summary: 'Say that items show different things: they are no possible duplicates of each other any more',
    body: DifferentMedia,
    success: 201,
    response: z.object({
      message: z.string(),
      /** With it this can be undone; null when all of it had been said before. */
      dismissalId: z.string().nullable(),
    }),
  }),
  undoDismissal: route({
    method: 'DELETE',
    path: '/api/media/duplicates/dismissals/:dismissalId',
    summary: 'Take back that items show different things',
    params: z.object({ dismissalId: z.string().max(64) }),
    response: z.object({ message: z.string() }),
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
    body: z.object({
      mediaIds: MediaIds,
      runId: RunId.optional(),
      /** Findings are kept for a review, and no item changes before it. */
      review: z.boolean().default(false),
    }),
    response: z.object({
      message: z.string(),
      summary: z.object({ successful: z.number(), failed: z.number() }),
      errors: z.array(ItemError),
      run: AiRun,
    }),
  }),
  runs: route({
    method: 'GET',
    path: '/api/ai-runs',
    summary: 'Runs of the last 30 days that go on, have changed something or were taken back, the newest first',
    query: z.object({ limit: z.coerce.number().int().min(1).max(10_000).default(200) }),
    response: z.object({ runs: z.array(PastRun) }),
  }),
  run: route({
    method: 'GET',
    path: '/api/ai-runs/:runId',
    summary: 'How far a run is',
    params: RunParams,
    response: AiRun.extend({
      message: z.string(),
      errors: z.array(ItemError),
      pause: z
        .string()
        .nullable()
        .describe('Why it stands still for now, such as a pause that the AI asks for; it goes on by itself'),
    }),
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
  reviews: route({
    method: 'GET',
    path: '/api/ai-reviews',
    summary: 'Runs whose findings wait for a review, the newest first',
    response: z.object({ reviews: z.array(AiReview) }),
  }),
  review: route({
    method: 'GET',
    path: '/api/ai-reviews/:runId',
    summary: 'What a run would change, item by item',
    params: RunParams,
    query: z.object({
      page: z.coerce.number().int().min(1, 'Pages start at 1.').max(1_000_000).default(1),
      limit: z.coerce.number().int().min(1).max(100).default(25),
    }),
    response: z.object({
      run: AiRun,
      /** Items that are to be changed, without the rejected ones. */
      accepted: z.number(),
      items: z.array(Proposal),
      pagination: Pagination,
      errors: z.array(ItemError),
    }),
  }),
  chooseProposal: route({
    method: 'PATCH',
    path: '/api/ai-reviews/:runId/items/:id',
    summary: 'Accept or refuse what is proposed for an item; it is kept until the review is applied',
    params: RunParams.extend({ id: Id }),
    body: ProposalChoice,
    response: Proposal,
  }),
  applyReview: route({
    method: 'POST',
    path: '/api/ai-reviews/:runId/apply',
    summary: 'Write what was accepted; it can be undone as every run can',
    params: RunParams,
    response: z.object({
      message: z.string(),
      summary: z.object({ successful: z.number(), failed: z.number() }),
      run: AiRun,
    }),
  }),
  discardReview: route({
    method: 'DELETE',
    path: '/api/ai-reviews/:runId',
    summary: 'Throw the findings of a run away; no item changes',
    params: RunParams,
    response: z.object({ message: z.string(), run: AiRun }),
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
      note: z.string().nullable().describe('How many names the AI did not make, and why'),
    }),
  }),
}
