import type { Grammar } from './wording.ts'

const numbers = ['', '', 'zwei', 'drei', 'vier', 'fünf']

/** Subjects are in the nominative: the words before them, such as "Zeichnung:", ask for no other case. */
export const german: Grammar = {
  one: ({ singular, gender }) => `${gender === 'f' ? 'eine' : 'ein'} ${singular}`,
  some: ({ singular }) => singular,
  several: ({ plural }) => plural,
  few: (count, { plural }) => `${numbers[count]} ${plural}`,
  about: (count, { plural }) => `etwa ${count} ${plural}`,
  many: ({ plural }) => `viele ${plural}`,
  and: () => 'und',
}
