import type { Grammar } from './wording.ts'

const numbers = ['', '', 'twee', 'drie', 'vier', 'vijf']

/** "Een" is the article of every noun, so the table has no genders. */
export const dutch: Grammar = {
  one: ({ singular }) => `een ${singular}`,
  some: ({ singular }) => singular,
  several: ({ plural }) => plural,
  few: (count, { plural }) => `${numbers[count]} ${plural}`,
  about: (count, { plural }) => `ongeveer ${count} ${plural}`,
  many: ({ plural }) => `veel ${plural}`,
  and: () => 'en',
}
