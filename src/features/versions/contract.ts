import { z } from 'zod'
import { Id, IdParams, MediaDetails } from '#features/media/contract.ts'
import { versionCauses } from '#features/media/limits.ts'
import { FileField, RunId, route } from '#platform/contract.ts'
import { maxEditedSide, maxStraighten } from '#shared/picture-edit.ts'

export const Version = z.object({
  id: Id.nullable().describe('null while the file was never replaced'),
  isCurrent: z.boolean(),
  filename: z.string(),
  mimeType: z.string(),
  size: z.number(),
  width: z.number().nullable(),
  height: z.number().nullable(),
  cause: z.enum(versionCauses),
  madeBy: z.string().nullable().describe('The user name, or null if the account was deleted'),
  madeAt: z.string(),
  expiresAt: z
    .string()
    .nullable()
    .describe('When it is deleted: originals that a conversion replaced stay for 30 days'),
  thumbnailUrl: z.string(),
  originalUrl: z.string(),
})
export type Version = z.infer<typeof Version>

const Turn = z
  .literal([0, 90, 180, 270], 'must be 0, 90, 180 or 270')
  .default(0)
  .describe('Degrees clockwise, from the upright picture')
const pixel = z.number().int('must be a whole number')
const side = pixel.min(1, 'must be at least 1').max(maxEditedSide, `must be at most ${maxEditedSide}`)

/** See [Note: Edits of a picture]. */
const PictureEdit = z.object({
  turn: Turn,
  flipHorizontal: z.boolean().default(false),
  flipVertical: z.boolean().default(false),
  straighten: z
    .number()
    .min(-maxStraighten, `must be between -${maxStraighten} and ${maxStraighten}`)
    .max(maxStraighten, `must be between -${maxStraighten} and ${maxStraighten}`)
    .default(0)
    .describe('Degrees clockwise; without a crop the largest part of the same shape is kept'),
  crop: z
    .object({
      left: pixel.min(0, 'must be inside the picture'),
      top: pixel.min(0, 'must be inside the picture'),
      width: side,
      height: side,
    })
    .optional()
    .describe('In pixels of the turned picture'),
  longestSide: side.optional().describe('Makes the result smaller; pictures are never enlarged'),
})

const VersionParams = z.object({ id: Id, versionId: Id })

export const versionsApi = {
  replace: route({
    method: 'POST',
    path: '/api/media/:id/replace',
    summary:
      'Replace the file of an item with one of the same kind (multipart, field "file"). Addresses, words and collections stay; the replaced file becomes a version',
    params: IdParams,
    fields: z.object({ file: FileField }),
    response: MediaDetails,
  }),
  list: route({
    method: 'GET',
    path: '/api/media/:id/versions',
    summary: 'List the files of an item: the current one, then up to ten earlier ones',
    params: IdParams,
    response: z.object({ versions: z.array(Version) }),
  }),
  edit: route({
    method: 'POST',
    path: '/api/media/:id/edit',
    summary: 'Turn, flip, straighten, crop or resize an image, as a new version or as a duplicate',
    params: IdParams,
    body: PictureEdit.extend({
      saveAs: z.enum(['version', 'duplicate'], 'must be version or duplicate').default('version'),
      runId: RunId.optional(),
    }),
    response: MediaDetails,
  }),
  restore: route({
    method: 'POST',
    path: '/api/media/:id/versions/:versionId/restore',
    summary: 'Make an earlier file the current one; the one it replaces becomes a version',
    params: VersionParams,
    response: MediaDetails,
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/media/:id/versions/:versionId',
    summary: 'Permanently delete an earlier file of an item',
    params: VersionParams,
    response: z.object({ message: z.string() }),
  }),
  removeAll: route({
    method: 'DELETE',
    path: '/api/versions',
    summary: 'Permanently delete the earlier files of all your items',
    response: z.object({ deleted: z.number(), message: z.string() }),
  }),
}
