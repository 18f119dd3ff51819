import { z } from 'zod'
import {
  Id,
  IdParams,
  Media,
  MediaDetails,
  MediaIds,
  NamePattern,
  NewName,
  Pagination,
  ReviewedNames,
} from '#features/media/contract.ts'
import { maxTagLength, maxTags } from '#features/media/limits.ts'
import { Language } from '#features/media/words-contract.ts'
import { FileField, route } from '#platform/contract.ts'
import { RunProgress } from '#platform/runs.ts'
import { maxWrittenLanguages } from './limits.ts'

/** The most items shown in a group of duplicates. */
export const maxPerGroup = 50

/** Chosen by the page, so that it recognizes its own progress events; the server generates one if it is missing. */
const RunId = z
  .string()
  .max(64)
  .regex(/^[\w-]+$/, 'must have only letters, digits, hyphens and underscores')
const RunParams = z.object({ runId: RunId })

/** How far a model of the hub is; only a used one analyzes. */
export const hubPhases = ['off', 'waiting', 'downloading', 'examining', 'used', 'failed'] as const
export type HubPhase = (typeof hubPhases)[number]

export const HubModelState = z.object({
  id: z.enum(['siglip2', 'florence2']),
  name: z.string(),
  /** What it adds, in a few words. */
  makes: z.string(),
  licence: z.string(),
  origin: z.string(),
  source: z.string(),
  bytes: z.number(),
  doneBytes: z.number(),
  phase: z.enum(hubPhases),
  /** The result of the examination, or why the model is not used. */
  message: z.string(),
  secondsPerPicture: z.number(),
  /** The time was measured on this machine. */
  isMeasured: z.boolean(),
  isDownloaded: z.boolean(),
})
export type HubModelState = z.infer<typeof HubModelState>

export const AiRun = z.object({
  runId: z.string(),
  kind: z.enum(['tag', 'rename', 'alt-text']),
  /** A run with review stays in "review" until it is applied or discarded. */
  status: z.enum(['running', 'review', 'applying', 'done', 'cancelled', 'discarded', 'reverted']),
  total: z.number(),
  successful: z.number(),
  failed: z.number(),
})
export type AiRun = z.infer<typeof AiRun>

export const PastRun = AiRun.extend({ createdAt: z.string() })
export type PastRun = z.infer<typeof PastRun>

const ItemError = z.object({ id: z.number(), message: z.string() })

/** What a run would do and cost. */
export const AiEstimate = z.object({
  images: z.number(),
  /** Already analyzed by the same model, so they cost nothing. */
  alreadyKnown: z.number(),
  estimatedTokens: z.number(),
  estimatedSeconds: z.number(),
  isPaid: z.boolean(),
  provider: z.string(),
  model: z.string(),
  /** Requests left in this month's limit; each picture takes at least one. Null without a limit. */
  remainingThisMonth: z.number().nullable(),
})
export type AiEstimate = z.infer<typeof AiEstimate>

/** The changes that a run suggests for one item in its current state, and which of them the user accepts. */
export const Proposal = z.object({
  media: Media,
  isAccepted: z.boolean(),
  provider: z.string(),
  model: z.string(),
  /** Why the preferred model was not used, if another one was. */
  note: z.string().nullable(),
  /** Null if the description stays as it is, because the user wrote it or it is the same. */
  description: z.object({ before: z.string().nullable(), after: z.string(), isAccepted: z.boolean() }).nullable(),
  tags: z.array(z.object({ tag: z.string(), change: z.enum(['kept', 'added', 'dropped']), isAccepted: z.boolean() })),
  /** Only those that would change; a run writes either alt texts, or descriptions and tags. */
  altTexts: z.array(
    z.object({ language: z.string(), before: z.string().nullable(), after: z.string(), isAccepted: z.boolean() }),
  ),
})
export type Proposal = z.infer<typeof Proposal>

export const ProposalChoice = z.object({
  isAccepted: z.boolean().optional(),
  isDescriptionAccepted: z.boolean().optional(),
  /** All tags whose change is rejected. */
  refusedTags: z.array(z.string().trim().min(1).max(maxTagLength)).max(maxTags).optional(),
  /** All languages whose alt text is rejected. */
  refusedLanguages: z.array(Language).max(maxWrittenLanguages).optional(),
})
export type ProposalChoice = z.output<typeof ProposalChoice>

const AiReview = z.object({
  runId: z.string(),
  kind: AiRun.shape.kind,
  items: z.number(),
  changes: z.number().describe('Items that need a decision, because applying would change them'),
  createdAt: z.string(),
})

export const DifferentMedia = z
  .object({
    mediaIds: z
      .array(Id, 'Select the items that are different.')
      .max(maxPerGroup, `At most ${maxPerGroup} items can be marked as different at once.`)
      .describe('At least two different ids'),
    differentId: Id.optional().describe(
      'The one item that differs from the others; without it, all differ from each other',
    ),
  })
  .refine(({ mediaIds }) => new Set(mediaIds).size > 1, {
    path: ['mediaIds'],
    message: 'Select at least two items.',
  })
  .refine(({ mediaIds, differentId }) => differentId === undefined || mediaIds.includes(differentId), {
    path: ['differentId'],
    message: 'The different item must be one of the group.',
  })
export type DifferentMedia = z.output<typeof DifferentMedia>

/** The limit for the company, as in a collection, and for the context. */
export const maxRenameWords = 2000

export const AiRenameRequest = z.object({
  company: z
    .string('Please enter a company.')
    .trim()
    .min(1, 'Please enter a company.')
    .max(maxRenameWords, 'The company can have up to 2,000 characters.'),
  context: z.string().trim().max(maxRenameWords, 'The context can have up to 2,000 characters.').optional(),
  /** Returns the names without applying them. */
  preview: z.boolean().default(false),
  names: ReviewedNames.optional().describe('The names of a reviewed preview, applied as given'),
  pattern: NamePattern.nullish().describe(
    'Web names like "{website}-{subject}"; empty: the pattern of the website or that one; absent: that of the website if it has one; null: readable names',
  ),
  renameAddresses: z.boolean().default(false).describe('Public addresses follow the names; earlier ones redirect'),
})
export type AiRenameRequest = z.output<typeof AiRenameRequest>

const wrongLanguages = `Choose 1 to ${maxWrittenLanguages} languages.`

const AltTextRequest = z.object({
  mediaIds: MediaIds,
  languages: z
    .array(Language, wrongLanguages)
    .min(1, wrongLanguages)
    .max(maxWrittenLanguages, wrongLanguages)
    .transform((languages) => [...new Set(languages)]),
  websiteId: Id.optional().describe('Write them with the words of this website'),
  overwrite: z.boolean().default(false).describe('Suggest new texts where there are some already'),
})
export type AltTextRequest = z.output<typeof AltTextRequest>

/** What a run would write and cost. */
export const AltTextEstimate = AiEstimate.pick({ images: true, isPaid: true, provider: true, model: true }).extend({
  decorative: z.number().describe('Skipped, as an empty alt text is right for them'),
  complete: z.number().describe('Skipped, as they have an alt text in each of the languages'),
  remainingThisMonth: AiEstimate.shape.remainingThisMonth,
})
export type AltTextEstimate = z.infer<typeof AltTextEstimate>
/** An item in a group of duplicates. */
export const Duplicate = MediaDetails.extend({
  versionCount: z.number().describe('Versions of its picture in the library, such as WebP copies, itself included'),
})
export type Duplicate = z.infer<typeof Duplicate>

export const analysisApi = {
  revert: route({
    method: 'POST',
    path: '/api/media/:id/revert-analysis',
    summary: 'Revert the last analysis of an item; text written by a person is kept',
    params: IdParams,
    response: MediaDetails,
  }),
  example: route({
    method: 'POST',
    path: '/api/media/example',
    summary:
      'Prepare a search by picture (multipart, field "picture": JPEG, PNG, GIF or WebP, up to 25 MB). The picture is not stored; GET /api/media lists the items similar to the "example" of the response',
    fields: z.object({ picture: FileField }),
    response: z.object({ example: z.string() }),
  }),
  duplicates: route({
    method: 'GET',
    path: '/api/media/duplicates',
    summary: 'Groups of possible duplicates',
    query: z.object({
      limit: z.coerce.number().int().min(1).max(100).default(50),
      /** The `next` of the previous page. */
      before: Id.optional(),
    }),
    response: z.object({
      groups: z.array(z.array(Duplicate)),
      /** The total of candidates. A few that are not shown yet may turn out to look different. */
      total: z.number(),
      next: z.number().nullable(),
    }),
  }),
  pictureVersions: route({
    method: 'GET',
    path: '/api/media/:id/picture-versions',
    summary: 'List an item and all items derived from the same picture, such as its WebP copies; oldest first',
    params: IdParams,
    response: z.object({ media: z.array(Media) }),
  }),
  dismissDuplicates: route({
    method: 'POST',
    path: '/api/media/duplicates/dismissals',
    summary: 'Mark items as different, so that they are no longer listed as duplicates',
    body: DifferentMedia,
    success: 201,
    response: z.object({
      message: z.string(),
      /** Identifies the dismissal for undo; null if all pairs had been dismissed before. */
      dismissalId: z.string().nullable(),
    }),
  }),
  undoDismissal: route({
    method: 'DELETE',
    path: '/api/media/duplicates/dismissals/:dismissalId',
    summary: 'Undo marking items as different',
    params: z.object({ dismissalId: z.string().max(64) }),
    response: z.object({ message: z.string() }),
  }),
  estimate: route({
    method: 'POST',
    path: '/api/media/bulk-ai-tag/estimate',
    summary: 'Estimate a bulk analysis',
    body: z.object({ mediaIds: MediaIds, websiteId: Id.optional() }),
    response: AiEstimate,
  }),
  bulkTag: route({
    method: 'POST',
    path: '/api/media/bulk-ai-tag',
    summary: 'Describe and tag many items; a long run continues in the background',
    body: z.object({
      mediaIds: MediaIds,
      runId: RunId.optional(),
      /** Keeps the results for a review and changes no item before it. */
      review: z.boolean().default(false),
      websiteId: Id.optional().describe('Describe them in the language and with the words of this website'),
    }),
    response: z.object({
      message: z.string(),
      summary: z.object({ successful: z.number(), failed: z.number() }),
      errors: z.array(ItemError),
      run: AiRun,
    }),
  }),
  estimateAltTexts: route({
    method: 'POST',
    path: '/api/media/bulk-alt-text/estimate',
    summary: 'Estimate writing alt texts',
    body: AltTextRequest,
    response: AltTextEstimate,
  }),
  bulkAltText: route({
    method: 'POST',
    path: '/api/media/bulk-alt-text',
    summary: 'Write alt texts for many items; they wait for a review, and a long run continues in the background',
    body: AltTextRequest.extend({ runId: RunId.optional() }),
    response: z.object({
      message: z.string(),
      summary: z.object({ successful: z.number(), skipped: z.number(), failed: z.number() }),
      errors: z.array(ItemError),
      run: AiRun,
    }),
  }),
  runs: route({
    method: 'GET',
    path: '/api/ai-runs',
    summary: 'List the AI runs of the last 30 days, newest first',
    query: z.object({ limit: z.coerce.number().int().min(1).max(10_000).default(200) }),
    response: z.object({ runs: z.array(PastRun) }),
  }),
  run: route({
    method: 'GET',
    path: '/api/ai-runs/:runId',
    summary: 'Get run progress',
    params: RunParams,
    response: AiRun.extend({ message: z.string(), errors: z.array(ItemError), pause: RunProgress.shape.pause }),
  }),
  cancelRun: route({
    method: 'POST',
    path: '/api/ai-runs/:runId/cancel',
    summary: 'Stop a run after the current item; finished items are kept',
    params: RunParams,
    response: AiRun,
  }),
  revertRun: route({
    method: 'POST',
    path: '/api/ai-runs/:runId/revert',
    summary: 'Revert a run, except for items changed since',
    params: RunParams,
    response: z.object({ message: z.string(), reverted: z.number(), run: AiRun }),
  }),
  reviews: route({
    method: 'GET',
    path: '/api/ai-reviews',
    summary: 'List the runs waiting for review, newest first',
    response: z.object({ reviews: z.array(AiReview) }),
  }),
  review: route({
    method: 'GET',
    path: '/api/ai-reviews/:runId',
    summary: 'List the proposed changes of a run',
    params: RunParams,
    query: z.object({
      page: z.coerce.number().int().min(1, 'Pages start at 1.').max(1_000_000).default(1),
      limit: z.coerce.number().int().min(1).max(100).default(25),
    }),
    response: z.object({
      run: AiRun,
      /** Items that will be changed, without the rejected ones. */
      accepted: z.number(),
      changes: z.number().describe('The items that would change'),
      items: z.array(Proposal),
      pagination: Pagination,
      errors: z.array(ItemError),
    }),
  }),
  chooseProposal: route({
    method: 'PATCH',
    path: '/api/ai-reviews/:runId/items/:id',
    summary: 'Accept or reject the proposal for an item; saved until the review is applied',
    params: RunParams.extend({ id: Id }),
    body: ProposalChoice,
    response: Proposal,
  }),
  applyReview: route({
    method: 'POST',
    path: '/api/ai-reviews/:runId/apply',
    summary: 'Apply the accepted proposals; can be undone like any run',
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
    summary: 'Discard the proposals of a run; no items change',
    params: RunParams,
    response: z.object({ message: z.string(), run: AiRun }),
  }),
  renameCollection: route({
    method: 'POST',
    path: '/api/collections/:id/ai-rename',
    summary: 'Rename the images of a collection with AI; preview only returns the names',
    params: IdParams,
    body: AiRenameRequest,
    response: z.object({
      message: z.string(),
      stats: z.object({ renamed: z.number(), unchanged: z.number() }),
      names: z.array(NewName),
      runId: z.string().nullable(),
      pattern: z.string().describe('The pattern of the names; empty: readable names'),
      note: z.string().nullable().describe('How many names were not made by the AI, and why'),
    }),
  }),
}
