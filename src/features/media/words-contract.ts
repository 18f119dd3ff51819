import { z } from 'zod'
import { canonicalLanguage, languageName } from '#shared/languages.ts'
import {
  maxAltTextLength,
  maxAltTexts,
  maxLanguageLength,
  maxRightsLength,
  maxSourceUrlLength,
  maxTitleLength,
} from './limits.ts'

const unknownLanguage = (tag: string) =>
  `"${tag.slice(0, maxLanguageLength)}" is not a known language. Use a tag such as "en", "de" or "pt-BR".`

/** A BCP 47 tag in its usual spelling. */
export const Language = z
  .string('Please enter a language.')
  .trim()
  .max(maxLanguageLength, 'A language is a tag such as "en", "de" or "pt-BR".')
  .meta({ description: 'A BCP 47 tag, such as "en", "de" or "pt-BR"', examples: ['en'] })
  .transform((tag, context) => {
    const canonical = canonicalLanguage(tag)
    if (!canonical) context.addIssue({ code: 'custom', message: unknownLanguage(tag) })
    return canonical ?? z.NEVER
  })

/** Line breaks and control characters would not survive in HTML attributes and files. */
const asOneLine = (text: string) => text.toWellFormed().replace(/[\p{Cc}\s]+/gu, ' ')

const AltText = z
  .string()
  .overwrite(asOneLine)
  .trim()
  .max(maxAltTextLength, `An alt text can have up to ${maxAltTextLength.toLocaleString('en')} characters.`)

export const AltTexts = z.record(z.string(), z.string()).describe('Alt texts by BCP 47 tag')
export type AltTexts = z.infer<typeof AltTexts>

/** Only the given languages change. */
export const AltTextChanges = z
  .record(z.string(), AltText.nullable())
  .transform((given, context) => {
    const changes = new Map<string, string | null>()
    for (const [tag, text] of Object.entries(given)) {
      const language = tag.length > maxLanguageLength ? undefined : canonicalLanguage(tag)
      if (!language) context.addIssue({ code: 'custom', message: unknownLanguage(tag) })
      else if (changes.has(language))
        context.addIssue({ code: 'custom', message: `${languageName(language)} is given twice.` })
      else changes.set(language, text || null)
    }
    return Object.fromEntries(changes)
  })
  .refine((changes) => Object.keys(changes).length <= maxAltTexts, tooManyLanguages())
  .describe('Alt texts by BCP 47 tag; null or an empty text removes one, and other languages stay')
export type AltTextChanges = z.output<typeof AltTextChanges>

export function tooManyLanguages() {
  return `An item can have alt texts in up to ${maxAltTexts} languages.`
}

const line = (name: string, maxLength: number) =>
  z.string().overwrite(asOneLine).trim().max(maxLength, `${name} can have up to ${maxLength} characters.`)

const wrongSource = 'A source must be a web address that starts with http:// or https://.'
const SourceUrl = z
  .string()
  .trim()
  .max(maxSourceUrlLength, `A source can have up to ${maxSourceUrlLength.toLocaleString('en')} characters.`)
  .refine((address) => address === '' || isSourceUrl(address), wrongSource)

export function isSourceUrl(address: string) {
  return address.length <= maxSourceUrlLength && /^https?:\/\//i.test(address) && URL.canParse(address)
}

/** What a person writes about an item for websites; null or an empty text removes it. */
export const WordChanges = z.object({
  title: line('A title', maxTitleLength).nullish(),
  altTexts: AltTextChanges.optional(),
  isDecorative: z.boolean().optional().describe('true: shows nothing that has to be described, so its alt is empty'),
  creator: line('A creator', maxRightsLength).nullish(),
  credit: line('A credit', maxRightsLength).nullish(),
  licence: line('A license', maxRightsLength).nullish(),
  sourceUrl: SourceUrl.nullish(),
})
export type WordChanges = z.output<typeof WordChanges>
