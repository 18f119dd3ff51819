import { z } from 'zod'
import { Id, MediaDetails, NamePattern } from '#features/media/contract.ts'
import { FileField, route } from '#platform/contract.ts'
import { maxPrefixLength } from './limits.ts'

const YesOrNo = z.stringbool('must be true or false').meta({ enum: ['true', 'false'] })

export const UploadOptions = z.object({
  enableAi: YesOrNo.default(true).describe('true when absent'),
  preserveOriginalName: YesOrNo.default(true).describe('true when absent'),
  useCustomNaming: YesOrNo.default(false).describe('false when absent'),
  uploadPrefix: z
    .string()
    .trim()
    .max(maxPrefixLength, `A prefix can have up to ${maxPrefixLength} characters.`)
    .optional(),
  namePattern: NamePattern.optional().describe(
    'Web names like "{website}-{subject}"; empty: the pattern of the website of the collection, or that one',
  ),
  sequenceStart: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(1)
    .describe('First number for custom naming, when one selection is sent in several requests'),
  collectionId: Id.optional().describe('ID of your collection that the files are added to'),
  addedAt: z.iso
    .datetime('must be a time like 2026-01-31T12:00:00.000Z')
    .optional()
    .describe('Upload time of the first file, see POST /api/upload/begin; a time in the future counts as now'),
  filename: z
    .string()
    .optional()
    .describe('Exact name of the next file, since multipart cannot distinguish a quotation mark from %22'),
})
export type UploadOptions = z.output<typeof UploadOptions>

const RejectedFile = z.object({ filename: z.string(), message: z.string(), code: z.string() })

export const uploadApi = {
  begin: route({
    method: 'POST',
    path: '/api/upload/begin',
    summary:
      'Get the server time. To keep the order of files sent in parallel, send it as "addedAt" with each file, plus one millisecond per file',
    response: z.object({ beganAt: z.string() }),
  }),
  upload: route({
    method: 'POST',
    path: '/api/upload',
    summary: 'Upload images and videos (multipart, field "files")',
    fields: UploadOptions.extend({ files: z.array(FileField).min(1) }),
    success: 201,
    response: z.object({
      media: z.array(MediaDetails),
      /** Those whose very bytes the sender had in the library before, outside the trash. */
      alreadyThere: z.array(Id),
      rejected: z.array(RejectedFile),
    }),
  }),
}
