import { z } from 'zod'
import { Id, MediaDetails } from '#features/media/contract.ts'
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
  sequenceStart: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(1)
    .describe('The number that custom naming begins with; files of one selection may come in several requests'),
  collectionId: Id.optional().describe(
    'A collection of the sender’s; the files are in it as soon as they are in the library',
  ),
  addedAt: z.iso
    .datetime('must be a moment like 2026-01-31T12:00:00.000Z')
    .optional()
    .describe(
      'The moment under which the first file stands among the recent ones, see POST /api/upload/begin; never a later one than the present',
    ),
  filename: z
    .string()
    .optional()
    .describe('The name of the file that comes next, as it is: a form cannot tell a quotation mark from a %22'),
})
export type UploadOptions = z.output<typeof UploadOptions>

const RejectedFile = z.object({ filename: z.string(), message: z.string(), code: z.string() })

export const uploadApi = {
  begin: route({
    method: 'POST',
    path: '/api/upload/begin',
    summary:
      'The present moment of the server. Files of one selection that travel at the same time keep their order when each is sent with it as "addedAt", a millisecond later than the one before',
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
