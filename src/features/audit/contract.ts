import { z } from 'zod'
import { Id, IdParams, NamePattern } from '#features/media/contract.ts'
import { route } from '#platform/contract.ts'
import { maxChosen, maxPages, newFormats } from './limits.ts'
import { problems } from './problems.ts'

const noPages = 'Enter the addresses of the pages, one per line, or the address of a sitemap.'
const tooManyPages = `An audit can have up to ${maxPages} pages.`
const limitWords = `must be between 1 and ${maxChosen}`
const noneChosen = 'Choose at least one picture.'

export const Problem = z.enum(problems, `must be one of ${problems.join(', ')}`)

const Progress = z.object({
  runId: z.string().describe('Names its progress events'),
  done: z.number(),
  failed: z.number(),
  total: z.number(),
  isRunning: z.boolean(),
})
export type Progress = z.infer<typeof Progress>

const AuditedPage = z.object({
  position: z.number().describe('Its number in the audit, from 0'),
  url: z.string(),
  title: z.string(),
  state: z.enum(['waiting', 'done', 'failed']),
  error: z.string().nullable(),
  hint: z.string().nullable().describe('Why fewer pictures were found than a browser shows'),
  pictureCount: z.number(),
  problemCount: z.number().describe('Pictures with at least one problem'),
  bytes: z.number().describe('Of the pictures whose size is known'),
})
export type AuditedPage = z.infer<typeof AuditedPage>

const Totals = z.object({
  pictures: z.number().describe('Each address once, on however many pages'),
  withProblems: z.number(),
  bytes: z.number(),
  problems: z.record(z.string(), z.number()).describe('Pictures by problem'),
  measured: z.number(),
  measuredBytes: z.number(),
  savedBytes: z
    .number()
    .describe('What the smaller of WebP and AVIF, at the right size, would save of the measured ones'),
})
export type Totals = z.infer<typeof Totals>

const status = z.enum(['running', 'stopping', 'stopped', 'ended', 'failed'])

export const AuditSummary = z.object({
  id: z.number(),
  website: z.string().describe('The host of its pages'),
  status,
  createdAt: z.string(),
  expiresAt: z.string(),
  progress: Progress,
})
export type AuditSummary = z.infer<typeof AuditSummary>

export const Audit = AuditSummary.extend({
  isTruncated: z.boolean().describe('The sitemap has more pages'),
  measuring: Progress.nullable().describe('Of the last measuring'),
  pages: z.array(AuditedPage),
  totals: Totals,
})
export type Audit = z.infer<typeof Audit>

export const Measured = z.object({
  bytes: z.number().describe('As it is now'),
  width: z.number(),
  height: z.number(),
  newWidth: z.number().describe('Twice the width at which it is shown, where that is known and smaller'),
  webp: z.number().nullable(),
  avif: z.number().nullable(),
})
export type Measured = z.infer<typeof Measured>

export const AuditedPicture = z.object({
  key: z.string().describe('Names the picture in this audit'),
  url: z.string().describe('What a browser with a large, dense screen loads'),
  originalUrl: z.string().describe('The largest known version, which an import takes'),
  name: z.string(),
  fileName: z.string(),
  pages: z.array(z.number()).describe('The positions of the pages that show it'),
  alt: z.string().nullable().describe('Null when the page gives none; empty for decoration'),
  format: z.string().nullable(),
  bytes: z.number().nullable(),
  width: z.number().nullable(),
  height: z.number().nullable(),
  shownWidth: z.number().nullable().describe('In CSS pixels, where attributes or the rendered page tell'),
  problems: z.array(Problem),
  measured: Measured.nullable(),
  measuringError: z.string().nullable(),
  mediaId: z.number().nullable().describe('The item of the library that came from this address'),
  previewUrl: z.string(),
})
export type AuditedPicture = z.infer<typeof AuditedPicture>

const Chosen = z
  .array(z.string().max(20), noneChosen)
  .min(1, noneChosen)
  .max(maxChosen, `Choose up to ${maxChosen} pictures at a time.`)
  .describe('Keys of pictures')

const Message = z.object({ message: z.string() })

export const auditApi = {
  create: route({
    method: 'POST',
    path: '/api/audits',
    summary: 'Start an audit of the pictures on pages of one website',
    body: z.object({
      urls: z.array(z.string(noPages), noPages).max(maxPages, tooManyPages).default([]),
      sitemapUrl: z
        .string()
        .trim()
        .optional()
        .describe('A sitemap.xml or an index of sitemaps; its first pages are taken'),
    }),
    success: 201,
    response: Audit,
  }),
  list: route({
    method: 'GET',
    path: '/api/audits',
    summary: 'List the audits of the last day',
    response: z.object({ audits: z.array(AuditSummary) }),
  }),
  get: route({
    method: 'GET',
    path: '/api/audits/:id',
    summary: 'Get an audit: its progress, pages and totals',
    params: IdParams,
    response: Audit,
  }),
  pictures: route({
    method: 'GET',
    path: '/api/audits/:id/pictures',
    summary: 'List the pictures of an audit, the worst first',
    params: IdParams,
    query: z.object({
      page: z.coerce.number().int().min(1, 'Pages start at 1.').default(1),
      limit: z.coerce.number().int().min(1, limitWords).max(maxChosen, limitWords).default(50),
      onPage: z.coerce.number().int().min(0).optional().describe('The position of a page'),
      problem: Problem.optional(),
    }),
    response: z.object({ pictures: z.array(AuditedPicture), totalCount: z.number() }),
  }),
  stop: route({
    method: 'POST',
    path: '/api/audits/:id/stop',
    summary: 'Stop an audit or its measuring; what is done is kept',
    params: IdParams,
    response: Message,
  }),
  resume: route({
    method: 'POST',
    path: '/api/audits/:id/resume',
    summary: 'Resume an audit that was stopped',
    params: IdParams,
    response: Audit,
  }),
  measure: route({
    method: 'POST',
    path: '/api/audits/:id/measure',
    summary: 'Convert pictures to WebP and AVIF at the right size, to measure what that saves; nothing is stored',
    params: IdParams,
    body: z.object({ pictures: Chosen }),
    response: Audit,
  }),
  import: route({
    method: 'POST',
    path: '/api/audits/:id/import',
    summary: 'Add pictures of an audit to the library; follow the upload by its run',
    params: IdParams,
    body: z.object({
      pictures: Chosen,
      namePattern: NamePattern.optional().describe('Web names; empty: the pattern of the website, or the default'),
      websiteId: Id.optional().describe('Whose name and pattern are used'),
    }),
    response: z.object({ runId: z.number() }),
  }),
  report: route({
    method: 'GET',
    path: '/api/audits/:id/report.pdf',
    summary: 'Get the report of an audit, with the logo of a website',
    params: IdParams,
    query: z.object({ websiteId: Id.optional() }),
    file: ['application/pdf'],
    response: z.never(),
  }),
  files: route({
    method: 'GET',
    path: '/api/audits/:id/files.zip',
    summary: 'Get pictures in a new format and the right size, with a table of addresses and alt texts',
    params: IdParams,
    query: z.object({
      pictures: z
        .string()
        .transform((text) => text.split(','))
        .pipe(Chosen)
        .describe('Keys of pictures, with commas'),
      format: z.enum(newFormats, `must be ${newFormats.join(' or ')}`).default('webp'),
      websiteId: Id.optional().describe('Whose pattern of names and languages are used'),
    }),
    file: ['application/zip'],
    response: z.never(),
  }),
}
