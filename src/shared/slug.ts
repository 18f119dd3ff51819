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
