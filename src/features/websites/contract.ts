import { z } from 'zod'
import { Preset, PresetDraft } from '#features/delivery/contract.ts'
import { maxPresets } from '#features/delivery/limits.ts'
import { IdParams, NamePattern } from '#features/media/contract.ts'
import { Language } from '#features/media/words-contract.ts'
import { RunId, route } from '#platform/contract.ts'
import { Branding } from './branding.ts'
import { maxLanguages, maxWebsiteNameLength, maxWordsLength } from './limits.ts'

/** Title and subtitle belong to one collection. */
export const WebsiteBranding = Branding.omit({ title: true, subtitle: true })
export type WebsiteBranding = z.infer<typeof WebsiteBranding>

const noLanguage = 'Choose at least one language.'
const Languages = z
  .array(Language, noLanguage)
  .min(1, noLanguage)
  .max(maxLanguages, `A website can have up to ${maxLanguages} languages.`)
  .transform((languages) => [...new Set(languages)])
  .describe('The first is the main language')

const Name = z
  .string('Please enter a name.')
  .trim()
  .min(1, 'Please enter a name.')
  .max(maxWebsiteNameLength, `A name can have up to ${maxWebsiteNameLength} characters.`)

/** Null and empty text stand for none. */
const optionalText = (what: string) =>
  z.string().trim().max(maxWordsLength, `${what} can have up to ${maxWordsLength} characters.`).nullish()

const wrongAddress = 'Enter an address like https://northwind.example.'
const WebAddress = z
  .string(wrongAddress)
  .trim()
  .max(2000, 'An address can have up to 2,000 characters.')
  .transform((text) => (text === '' || /^[a-z][a-z0-9+.-]*:(?!\d)/i.test(text) ? text : `https://${text}`))
  .refine(isWebAddress, wrongAddress)
  .nullish()

function isWebAddress(text: string) {
  if (text === '') return true
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.hostname !== '' && !url.username && !url.password
}

const Presets = z
  .array(PresetDraft)
  .max(maxPresets, `A website can have up to ${maxPresets} presets.`)
  .refine((presets) => new Set(presets.map(({ name }) => name)).size === presets.length, 'Two presets have this name.')

export const Website = z.object({
  id: z.number(),
  name: z.string(),
  url: z.string().nullable(),
  languages: z.array(z.string()),
  tone: z.string().nullable(),
  audience: z.string().nullable(),
  keywords: z.string().nullable(),
  namePattern: z.string().nullable(),
  branding: WebsiteBranding,
  presets: z.array(Preset),
  creator: z.string().nullable(),
  licence: z.string().nullable(),
  statesRights: z.boolean().describe('Whether files for visitors contain creator and license'),
  collectionCount: z.number(),
  mediaCount: z.number().describe('An item in two of its collections counts twice'),
  smartCollections: z.array(z.string()).describe('Names of the smart collections whose search names this website'),
  createdAt: z.string(),
  updatedAt: z.string(),
})
export type Website = z.infer<typeof Website>

const WebsiteDraft = z.object({
  name: Name,
  url: WebAddress,
  languages: Languages,
  tone: optionalText('The tone'),
  audience: optionalText('The audience'),
  keywords: optionalText('The keywords'),
  namePattern: NamePattern.trim().nullish(),
  branding: WebsiteBranding.optional().describe('What new collections of the website start with'),
  presets: Presets.optional(),
  creator: optionalText('The creator'),
  licence: optionalText('The license'),
  statesRights: z.boolean().optional(),
})

export type WebsiteFields = z.output<typeof WebsiteDraft>

export const websitesApi = {
  list: route({
    method: 'GET',
    path: '/api/websites',
    summary: 'List the websites that you prepare items for',
    response: z.array(Website),
  }),
  create: route({
    method: 'POST',
    path: '/api/websites',
    summary: 'Create a website; collections whose company has its name join it',
    body: WebsiteDraft.extend({ runId: RunId.optional() }),
    success: 201,
    response: Website,
  }),
  update: route({
    method: 'PATCH',
    path: '/api/websites/:id',
    summary: 'Change a website; a new name is also the new company of its collections',
    params: IdParams,
    body: WebsiteDraft.partial(),
    response: Website,
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/websites/:id',
    summary: 'Delete a website; its collections and their company are kept',
    params: IdParams,
    response: z.object({ message: z.string() }),
  }),
}
