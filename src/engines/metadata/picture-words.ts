/** What a file says about its picture, as other programs wrote it. The values are limited and cleaned. */
export type PictureWords = {
  title?: string
  description?: string
  keywords?: string[]
  creator?: string
  credit?: string
  rights?: string
  source?: string
  /** By language as written in the file; "x-default" is of an unknown one. */
  altTexts?: Record<string, string>
}

const maxLength = 10_000
export const maxKeywords = 200

/** Control characters and those that hide or turn text; joiners stay, as emoji and Persian words need them. */
const unwanted = /[\p{Cc}\p{Zl}\p{Zp}\s\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]+/gu
const otherThanLines = new RegExp(`(?!\\n)${unwanted.source.slice(0, -1)}`, 'gu')

/** Without control, invisible and direction-changing characters; one line unless line breaks are wanted. */
export function cleanText(value: string, { hasLines = false } = {}): string | undefined {
  const text = value.slice(0, maxLength * 2).toWellFormed()
  const cleaned = hasLines
    ? text
        .replace(/\r\n?/g, '\n')
        .replace(otherThanLines, ' ')
        .replace(/[ \t]*\n[ \t]*/g, '\n')
        .replace(/\n{3,}/g, '\n\n')
    : text.replace(unwanted, ' ')
  return cleaned.trim().slice(0, maxLength).toWellFormed() || undefined
}

/** Words that are missing in the first are taken from the second. */
export function joinWords(first: PictureWords, second: PictureWords): PictureWords {
  return withoutEmpty({ ...second, ...withoutEmpty(first) })
}

export function withoutEmpty(words: PictureWords): PictureWords {
  const isFilled = (value: unknown) =>
    value !== undefined && (typeof value !== 'object' || value === null || Object.keys(value).length > 0)
  return Object.fromEntries(Object.entries(words).filter(([, value]) => isFilled(value)))
}
