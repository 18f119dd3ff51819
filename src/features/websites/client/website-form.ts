import type { Preset } from '#features/delivery/contract.ts'
import { nameFrom, parsePattern } from '#shared/web-names.ts'
import type { Website, WebsiteBranding } from '../contract.ts'

/** The fields of the dialog; empty text stands for none. */
export type WebsiteForm = {
  name: string
  url: string
  languages: string[]
  tone: string
  audience: string
  keywords: string
  namePattern: string
  branding: WebsiteBranding
  presets: Preset[]
  creator: string
  licence: string
  statesRights: boolean
}

export function formOf(website?: Website): WebsiteForm {
  return {
    name: website?.name ?? '',
    url: website?.url ?? '',
    languages: website?.languages ?? ['en'],
    tone: website?.tone ?? '',
    audience: website?.audience ?? '',
    keywords: website?.keywords ?? '',
    namePattern: website?.namePattern ?? '',
    branding: website?.branding ?? {},
    presets: website?.presets ?? [],
    creator: website?.creator ?? '',
    licence: website?.licence ?? '',
    statesRights: website?.statesRights ?? false,
  }
}

/** The name that the pattern gives to an example, or what is wrong with the pattern. */
export function previewPattern({ name, namePattern }: Pick<WebsiteForm, 'name' | 'namePattern'>) {
  if (namePattern.trim() === '') return {}
  const parsed = parsePattern(namePattern)
  if (parsed.problem) return { problem: parsed.problem }
  const facts = { website: name, subject: 'red tent', collection: 'Summer', date: '2026-06-21', n: 1, count: 20 }
  return { name: nameFrom(parsed, facts, 'IMG_2041.jpg') }
}
