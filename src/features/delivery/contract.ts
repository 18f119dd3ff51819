import { z } from 'zod'
import { Id, IdParams } from '#features/media/contract.ts'
import { route } from '#platform/contract.ts'
import { fits } from '#shared/fit-picture.ts'
import {
  deliveredFormats,
  maxAddresses,
  maxEdge,
  maxPresetNameLength,
  maxQuality,
  minQuality,
  presetFormats,
} from './limits.ts'

const edgeWords = `must be between 1 and ${maxEdge.toLocaleString('en')}`
const qualityWords = `must be between ${minQuality} and ${maxQuality}`
const edge = z.number(edgeWords).int(edgeWords).min(1, edgeWords).max(maxEdge, edgeWords)
const quality = z.number(qualityWords).int(qualityWords).min(minQuality, qualityWords).max(maxQuality, qualityWords)
const fit = z.enum(fits, `must be ${fits.join(' or ')}`)

const nameWords = `A name has 1 to ${maxPresetNameLength} lower-case letters, digits and hyphens.`
const PresetName = z.string(nameWords).regex(new RegExp(`^[a-z0-9-]{1,${maxPresetNameLength}}$`), nameWords)

const presetFields = {
  width: edge.nullable(),
  height: edge.nullable(),
  fit,
  format: z.enum(presetFormats, `must be one of ${presetFormats.join(', ')}`),
  quality: quality.nullable(),
}

/** A named size, `?p={name}` in file addresses. Null: no limit, or the usual quality of the format. */
export const Preset = z.object({ name: PresetName, ...presetFields })
export type Preset = z.infer<typeof Preset>

const hasSize = ({ width, height }: { width?: number | null; height?: number | null }) => Boolean(width || height)
const sizeWords = { error: 'Enter a width, a height or both.', path: ['width'] }

export const PresetDraft = Preset.extend({
  width: edge.nullable().default(null),
  height: edge.nullable().default(null),
  fit: fit.default('contain'),
  format: presetFields.format.default('auto'),
  quality: quality.nullable().default(null),
}).refine(hasSize, sizeWords)

export const PresetChanges = z.object(presetFields).partial()
export type PresetChanges = z.infer<typeof PresetChanges>

const PresetParams = z.object({ name: z.string().max(200) })

/** Query parameters of a file address; others are ignored, such as those that other programs add. */
const edgeText = z.coerce.number(edgeWords).int(edgeWords).min(1, edgeWords).max(maxEdge, edgeWords)
export const DeliveryQuery = z.object({
  w: edgeText.optional(),
  h: edgeText.optional(),
  fit: fit.optional(),
  q: z.coerce.number(qualityWords).pipe(quality).optional(),
  format: z.literal('auto', 'must be auto; other formats are the extension of the address').optional(),
  p: z.string('must be the name of one preset').max(200).optional(),
  s: z.string('must be one signature').max(200).optional(),
})
export type DeliveryQuery = z.output<typeof DeliveryQuery>

const WantedFile = z.object({
  format: z.enum(['auto', 'original', ...deliveredFormats]).default('original'),
  width: edge.optional(),
  height: edge.optional(),
  fit: fit.optional(),
  quality: quality.optional(),
  preset: PresetName.optional(),
})
export type WantedFile = z.input<typeof WantedFile>

export const FileAddress = z.object({
  url: z.string().nullable().describe('null while the item is private'),
  width: z.number().nullable(),
  height: z.number().nullable(),
  bytes: z.number().nullable().describe('null if it was not asked for, or if the file cannot be made now'),
})
export type FileAddress = z.infer<typeof FileAddress>

const DeliverySettings = z.object({
  indexesPages: z.boolean().describe('Whether search engines may list the pages of single items'),
})

export const deliveryApi = {
  settings: route({
    method: 'GET',
    path: '/api/delivery/settings',
    summary: 'Get what search engines may list',
    response: DeliverySettings,
  }),
  changeSettings: route({
    method: 'PATCH',
    path: '/api/delivery/settings',
    summary: 'Change what search engines may list',
    body: DeliverySettings,
    response: DeliverySettings,
  }),
  presets: route({
    method: 'GET',
    path: '/api/presets',
    summary: "List your presets; with mediaId, also those of the item's websites",
    query: z.object({ mediaId: Id.optional() }),
    response: z.array(Preset),
  }),
  createPreset: route({
    method: 'POST',
    path: '/api/presets',
    summary: 'Create a preset',
    body: PresetDraft,
    success: 201,
    response: Preset,
  }),
  changePreset: route({
    method: 'PATCH',
    path: '/api/presets/:name',
    summary: 'Change a preset; its addresses then show the new size',
    params: PresetParams,
    body: PresetChanges,
    response: Preset,
  }),
  removePreset: route({
    method: 'DELETE',
    path: '/api/presets/:name',
    summary: 'Delete a preset; its addresses stop working',
    params: PresetParams,
    response: z.array(Preset),
  }),
  addresses: route({
    method: 'POST',
    path: '/api/media/:id/addresses',
    summary: 'Get file addresses of an item in the given sizes and formats, signed where needed',
    params: IdParams,
    body: z.object({
      files: z.array(WantedFile).min(1).max(maxAddresses, `At most ${maxAddresses} addresses at once.`),
      areWeighed: z.boolean().optional().describe('true: also returns the size of each file in bytes, and makes it'),
    }),
    response: z.object({ addresses: z.array(FileAddress) }),
  }),
}
