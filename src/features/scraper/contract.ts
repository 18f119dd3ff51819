import { z } from 'zod'
import { Id, IdParams, NamePattern } from '#features/media/contract.ts'
import { maxItemsAtOnce } from '#features/media/limits.ts'
import { route } from '#platform/contract.ts'

const maxWordsLength = 2000
const tooMany = `At most ${maxItemsAtOnce.toLocaleString('en')} images can be uploaded at once.`
export const noneSelected = 'Please select at least one image to upload'
export const noAddress = 'Please enter at least one valid image URL'
export const noPageUrl = 'Please enter a valid webpage URL'
export const notOnWeb = 'Please enter a valid HTTP or HTTPS URL'

export const PreviewImage = z.object({
  id: z.string(),
  /** An http(s) address, or a `data:` URI that holds the image itself. */
  originalUrl: z.string(),
  /** Other versions of the same image, used when the first cannot be fetched. */
  alternatives: z.array(z.string()),
  alt: z.string(),
  intelligentName: z.string(),
  context: z.string().optional(),
  width: z.number().optional(),
  height: z.number().optional(),
  bytes: z.number().optional(),
  isInLibrary: z.boolean(),
  /** This server's address for the preview; other hosts do not learn who is looking. */
  previewUrl: z.string(),
})
export type PreviewImage = z.infer<typeof PreviewImage>

export const ScrapePreview = z.object({
  pageUrl: z.string(),
  pageTitle: z.string(),
  totalFound: z.number(),
  images: z.array(PreviewImage),
  /** Why fewer images were found than a browser shows. */
  hint: z.string().optional(),
})
export type ScrapePreview = z.infer<typeof ScrapePreview>

const Words = z
  .string()
  .nullish()
  .transform((words) => (words ?? '').trim().slice(0, maxWordsLength))

/** The website stands for the name of the page's host. */
const Pattern = NamePattern.optional().describe('Web names like "{website}-{subject}"; empty: that one')

/** An image of the preview; clients send it back whole, and unknown fields are dropped. */
export const SelectedImage = z.object({
  originalUrl: z.string('Each image needs its URL.'),
  alternatives: z.array(z.string()).max(30).default([]).catch([]),
  alt: Words,
  intelligentName: Words,
  context: Words,
})
export type SelectedImage = z.output<typeof SelectedImage>

export const RunProgress = z.object({
  step: z.enum(['starting', 'processing', 'complete']),
  message: z.string(),
  current: z.number(),
  total: z.number(),
  results: z.object({ successCount: z.number(), errorCount: z.number() }),
  /** Images that were not started because the upload was stopped. */
  stoppedCount: z.number(),
  runId: z.number(),
})
export type RunProgress = z.infer<typeof RunProgress>

const runSources = ['page', 'urls'] as const
export type RunSource = (typeof runSources)[number]

/** Messages for calls that failed without a reason from the server. */
export const failureOf = {
  preview: 'Failed to analyze webpage',
  page: 'Failed to upload images',
  urls: 'Failed to upload images from URLs',
} satisfies Record<RunSource | 'preview', string>

export const FailedImage = z.object({ id: z.number(), name: z.string(), address: z.string(), message: z.string() })
export type FailedImage = z.infer<typeof FailedImage>

export const ScrapeRun = z.object({
  id: z.number(),
  kind: z.enum(runSources),
  pageUrl: z.string().nullable(),
  isComplete: z.boolean(),
  total: z.number(),
  successCount: z.number(),
  errorCount: z.number(),
  stoppedCount: z.number(),
  /** Truncated to the first ones when there are very many. */
  failed: z.array(FailedImage),
})
export type ScrapeRun = z.infer<typeof ScrapeRun>

export const scraperApi = {
  preview: route({
    method: 'POST',
    path: '/api/scrape-preview',
    summary: 'Find the images on a webpage',
    body: z.object({ url: z.string(noPageUrl) }),
    response: ScrapePreview,
  }),
  image: route({
    method: 'GET',
    path: '/api/scrape-image',
    summary: 'Get a thumbnail of a previewed image (WebP)',
    query: z.object({ url: z.string().min(1) }),
    file: ['image/webp'],
    response: z.never(),
  }),
  upload: route({
    method: 'POST',
    path: '/api/scrape-upload',
    summary: 'Upload images from a webpage (server-sent events)',
    body: z.object({
      selectedImages: z.array(SelectedImage, noneSelected).min(1, noneSelected).max(maxItemsAtOnce, tooMany),
      pageUrl: z.string().nullish(),
      namePattern: Pattern,
    }),
    events: RunProgress,
    response: z.never(),
  }),
  uploadFromUrls: route({
    method: 'POST',
    path: '/api/upload-from-urls',
    summary: 'Upload images from URLs (server-sent events)',
    body: z.object({
      urls: z.array(z.string(noAddress), noAddress).min(1, noAddress).max(maxItemsAtOnce, tooMany),
      namePattern: Pattern,
    }),
    events: RunProgress,
    response: z.never(),
  }),
  retry: route({
    method: 'POST',
    path: '/api/scrape-runs/retry',
    summary: 'Retry the failed images of an upload (server-sent events)',
    body: z.object({ runId: Id }),
    events: RunProgress,
    response: z.never(),
  }),
  follow: route({
    method: 'GET',
    path: '/api/scrape-runs/events',
    summary: 'Stream the progress of an upload from the web (server-sent events)',
    query: z.object({ runId: Id }),
    events: RunProgress,
    response: z.never(),
  }),
  currentRun: route({
    method: 'GET',
    path: '/api/scrape-runs/current',
    summary: 'Get the current or last upload from the web',
    response: z.object({ run: ScrapeRun.nullable() }),
  }),
  cancelRun: route({
    method: 'POST',
    path: '/api/scrape-runs/:id/cancel',
    summary: 'Stop an upload after the current images; uploaded images are kept',
    params: IdParams,
    response: z.object({ message: z.string() }),
  }),
  dismissRun: route({
    method: 'POST',
    path: '/api/scrape-runs/:id/dismiss',
    summary: 'Dismiss a finished upload',
    params: IdParams,
    response: z.object({ message: z.string() }),
  }),
}
