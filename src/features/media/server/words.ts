import { invalid } from '#platform/errors.ts'
import type { Row } from '#platform/server/db/tables.ts'
import { maxAltTexts } from '../limits.ts'
import { type AltTextChanges, type AltTexts, tooManyLanguages, type WordChanges } from '../words-contract.ts'

type MediaRow = Row<'media'>
type WithAltTexts = Pick<MediaRow, 'alt_texts'>

export const altTextsOf = ({ alt_texts }: WithAltTexts): AltTexts => (alt_texts ? JSON.parse(alt_texts) : {})

/** The column after a change, from the locked row: another change of another language may just have been written. */
export function changedAltTexts(row: WithAltTexts, changes: AltTextChanges): string | null {
  const texts = Object.entries({ ...altTextsOf(row), ...changes }).filter(([, text]) => text !== null)
  if (texts.length > maxAltTexts) throw invalid(tooManyLanguages(), { field: 'altTexts' })
  return texts.length > 0 ? JSON.stringify(Object.fromEntries(texts)) : null
}

/** All words that a person wrote for websites, for copies. */
export function wordColumnsOf({ title, alt_texts, is_decorative, creator, credit, licence, source_url }: MediaRow) {
  return { title, alt_texts, is_decorative, creator, credit, licence, source_url }
}

/** The columns of the given words, without alt texts. */
export function changedWords({ title, isDecorative, creator, credit, licence, sourceUrl }: WordChanges) {
  return {
    ...(title !== undefined && { title: title || null }),
    ...(isDecorative !== undefined && { is_decorative: isDecorative ? (1 as const) : (0 as const) }),
    ...(creator !== undefined && { creator: creator || null }),
    ...(credit !== undefined && { credit: credit || null }),
    ...(licence !== undefined && { licence: licence || null }),
    ...(sourceUrl !== undefined && { source_url: sourceUrl || null }),
  }
}
