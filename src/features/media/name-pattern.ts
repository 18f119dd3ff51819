import { parsePattern } from '#shared/web-names.ts'

/** What is wrong with a typed pattern. An empty one is the default. */
export const problemOf = (pattern: string) => (pattern.trim() ? parsePattern(pattern.trim()).problem : undefined)
