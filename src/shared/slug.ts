import { fold } from './fold.ts'

export const minSlugLength = 3
export const maxSlugLength = 50

/** Restricts typed text to what a slug may contain: lower-case letters, digits and hyphens. */
export function toSlugInput(text: string) {
  return text.toLowerCase().replace(/[^a-z0-9-]/g, '')
}

/** Makes a readable slug from any text, such as a file name. It is empty if no character is usable. */
export function slugify(text: string, maxLength = maxSlugLength) {
  return fold(text)
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, maxLength)
    .replace(/-+$/, '')
}

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789'
const suffixLength = 6

/** The sanitized name plus six random characters, so that the address cannot be guessed. */
export function suggestSlug(name: string) {
  const random = crypto.getRandomValues(new Uint32Array(suffixLength))
  const suffix = Array.from(random, (number) => letters[number % letters.length]).join('')
  return `${slugify(name, maxSlugLength - suffixLength - 1) || 'media'}-${suffix}`
}
