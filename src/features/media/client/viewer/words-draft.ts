import type { MediaPatch, ViewedMedia } from '../../contract.ts'
import { goodAltTextLength } from '../../limits.ts'

const lines = ['title', 'creator', 'credit', 'licence', 'sourceUrl'] as const
export type WordsLine = (typeof lines)[number]

/** Only what was typed or switched, because the item's details may load after editing began. */
export type WordsDraft = Partial<Record<WordsLine, string>> & {
  altTexts: Record<string, string>
  isDecorative?: boolean
}

/** The words as the form shows them. */
export function wordsOf(media: ViewedMedia, draft: WordsDraft) {
  return {
    ...(Object.fromEntries(lines.map((name) => [name, draft[name] ?? media[name] ?? ''])) as Record<WordsLine, string>),
    isDecorative: draft.isDecorative ?? media.isDecorative,
    altTexts: { ...media.altTexts, ...draft.altTexts },
  }
}

/** The words that differ from the item as it was when editing began, or as it loaded since. */
export function changedWords(draft: WordsDraft, initial: ViewedMedia, now: ViewedMedia): Partial<MediaPatch> {
  const changedLines = lines.flatMap((name) => {
    const before = (initial[name] === undefined ? now : initial)[name] ?? ''
    const typed = draft[name]?.trim()
    return typed === undefined || typed === before ? [] : [[name, typed] as const]
  })
  const altTexts = Object.entries(draft.altTexts)
    .map(([language, text]) => [language, text.trim()] as const)
    .filter(([language, text]) => text !== (initial.altTexts?.[language] ?? ''))
  const { isDecorative = initial.isDecorative } = draft
  return {
    ...Object.fromEntries(changedLines),
    ...(altTexts.length > 0 && { altTexts: Object.fromEntries(altTexts) }),
    ...(isDecorative !== initial.isDecorative && { isDecorative }),
  }
}

/** The languages with a tab: of the websites, of present texts, and English if there are none. */
export function languagesOf({ websiteLanguages = [], altTexts }: ViewedMedia, draft: WordsDraft): string[] {
  const known = new Set([...websiteLanguages, ...Object.keys(altTexts), ...Object.keys(draft.altTexts)])
  return known.size > 0 ? [...known] : ['en']
}

/** "82 characters, a good length." */
export function lengthWords(text: string): string {
  const { min, max } = goodAltTextLength
  const length = text.trim().length
  if (length === 0) return `${min} to ${max} characters are good.`
  const judgment = length < min ? 'a bit short' : length > max ? 'a bit long' : 'a good length'
  return `${length.toLocaleString('en')} ${length === 1 ? 'character' : 'characters'}, ${judgment}.`
}
