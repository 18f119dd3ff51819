import type { MediaRow } from '#features/media/server/to-media.ts'
import { altTextsOf } from '#features/media/server/words.ts'
import type { AppliedAltTexts, SkipReason } from './alt-texts-store.ts'

type Item = Pick<MediaRow, 'alt_texts' | 'is_decorative'>

/** Whether nothing is to be written for an item, as it is now. */
export function reasonToSkip(item: Item, languages: string[], overwrite: boolean): SkipReason | undefined {
  if (item.is_decorative === 1) return 'decorative'
  return missingLanguages(item, languages, overwrite).length === 0 ? 'complete' : undefined
}

export function missingLanguages(item: Item, languages: string[], overwrite: boolean) {
  const known = altTextsOf(item)
  return overwrite ? languages : languages.filter((language) => !known[language])
}

/** What the texts would change in an item, as it is now: texts written since stay, unless they are to be replaced. */
export function changesOf(item: Item, texts: Record<string, string>, overwrite: boolean): AppliedAltTexts {
  if (item.is_decorative === 1) return []
  const known = altTextsOf(item)
  return Object.entries(texts)
    .map(([language, after]) => ({ language, before: known[language] ?? null, after }))
    .filter(({ before, after }) => before !== after && (overwrite || before === null))
}
