import { z } from 'zod'
import { IdParams, MediaDetails } from '#features/media/contract.ts'
import { RunId, route } from '#platform/contract.ts'
import { maxEditedSide } from '#shared/picture-edit.ts'
import { formatNames } from './formats.ts'
import { defaultQuality, maxQuality, minQuality } from './limits.ts'

export const Quality = z.coerce
  .number('must be a number')
  .int('must be a whole number')
  .min(minQuality, `The quality must be between ${minQuality} and ${maxQuality}.`)
  .max(maxQuality, `The quality must be between ${minQuality} and ${maxQuality}.`)

/** WebP at full size when absent. */
export const ConversionTarget = z.object({
  format: z.enum(formatNames, `must be ${formatNames.join(' or ')}`).default('webp'),
  longestSide: z
    .number('must be a number')
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .max(maxEditedSide, `must be at most ${maxEditedSide}`)
    .optional()
    .describe('Larger images are made smaller'),
})

export const WebpConversion = z.object({
  media: MediaDetails,
  savings: z.number(),
  originalSize: z.number(),
  newSize: z.number(),
  isConverted: z.boolean(),
  message: z.string(),
})
export type WebpConversion = z.infer<typeof WebpConversion>

export const CutOutFormat = z.enum(['webp', 'png'], 'must be webp or png').describe('Both keep transparency')
export type CutOutFormat = z.infer<typeof CutOutFormat>

export const conversionApi = {
  removeBackground: route({
    method: 'POST',
    path: '/api/media/:id/remove-background',
    summary: 'Add a copy of an image without its background',
    params: IdParams,
    body: z.object({ format: CutOutFormat.default('webp'), runId: RunId.optional() }),
    success: 201,
    response: z.object({ media: MediaDetails, message: z.string() }),
  }),
  previewWithoutBackground: route({
    method: 'GET',
    path: '/api/media/:id/background-preview',
    summary: 'Preview an image without its background',
    params: IdParams,
    response: z.object({ url: z.string(), size: z.number() }),
  }),
  convertToWebp: route({
    method: 'POST',
    path: '/api/media/:id/convert-webp',
    summary: 'Convert an image to WebP, JPEG or AVIF, or make it smaller',
    params: IdParams,
    body: ConversionTarget.extend({
      quality: Quality.default(defaultQuality),
      deleteOriginal: z.boolean().default(false),
      runId: RunId.optional(),
    }),
    response: WebpConversion,
  }),
  previewWebp: route({
    method: 'GET',
    path: '/api/media/:id/webp-preview',
    summary: 'Preview an image in another format at this quality, with its size',
    params: IdParams,
    query: z.object({ quality: Quality, format: ConversionTarget.shape.format }),
    response: z.object({ url: z.string(), size: z.number(), originalSize: z.number() }),
  }),
}
