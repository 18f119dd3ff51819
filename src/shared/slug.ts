import { fold } from './fold.ts'

export const minSlugLength = 3
export const maxSlugLength = 50

/** What remains of a slug as it is typed: lower case, and nothing but letters, digits and hyphens. */
export function toSlugInput(text: string) {
  return text.toLowerCase().replace(/[^a-z0-9-]/g, '')
}

/** A readable slug made from any text, e.g. a file name. Empty when nothing usable is in it. */
export function slugify(text: string, maxLength = maxSlugLength) {
  return fold(text)
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, maxLength)
    .replace(/-+$/, '')
}
