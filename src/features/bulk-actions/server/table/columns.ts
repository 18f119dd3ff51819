import type { Cell } from '#engines/documents/tables/write-tables.ts'
import type { Media } from '#features/media/contract.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import { altTextsOf } from '#features/media/server/words.ts'
import { canonicalLanguage } from '#shared/languages.ts'

/** What the table says about an item and takes back: texts, where an empty one is nothing, and tags. */
export type Values = Record<string, string | string[]>

export const altColumn = (language: string) => `alt_${language}`

/** The language of a column of alt texts. */
export function languageOf(column: string): string | undefined {
  const tag = /^alt_(.{1,35})$/.exec(column)?.[1]
  return tag && (canonicalLanguage(tag) ?? undefined)
}

/** The values of an item by column; languages without an alt text are left out. */
export function valuesOf(row: MediaRow, tags: string[]): Values {
  const altTexts = Object.entries(altTextsOf(row)).map(([language, text]) => [altColumn(language), text])
  return {
    name: row.filename,
    title: row.title ?? '',
    description: row.user_description ?? '',
    tags,
    creator: row.creator ?? '',
    licence: row.licence ?? '',
    ...Object.fromEntries(altTexts),
  }
}

export const asCell = (value: string | string[] | undefined) =>
  Array.isArray(value) ? value.join(', ') : (value ?? '')

/** The table begins with the name: Excel takes a CSV that begins with "ID" for another format. */
export function headerOf(languages: string[]): string[] {
  const own = ['Name', 'Size', 'Dimensions', 'Description', 'AI description', 'Tags', 'Public URL', 'ID', 'Title']
  return [
    ...own,
    ...languages.map(altColumn),
    'Creator',
    'Credit',
    'License',
    'Source',
    'File URL',
    'Collections',
    'Thumbnail',
  ]
}

type Described = { media: Media; row: MediaRow; size: string; dimensions: string; thumbnailUrl: string }

export function cellsOf({ media, row, size, dimensions, thumbnailUrl }: Described, languages: string[]): Cell[] {
  const values = valuesOf(row, media.aiTags)
  return [
    media.filename,
    size,
    dimensions,
    asCell(values.description),
    media.aiDescription ?? '',
    asCell(values.tags),
    media.publicUrl ?? '',
    media.id,
    asCell(values.title),
    ...languages.map((language) => asCell(values[altColumn(language)])),
    asCell(values.creator),
    row.credit ?? '',
    asCell(values.licence),
    row.source_url ?? '',
    media.fileUrl ?? '',
    media.collections.map(({ name }) => name).join(', '),
    thumbnailUrl,
  ]
}
