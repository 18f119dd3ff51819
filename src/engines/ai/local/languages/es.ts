import type { Grammar } from './wording.ts'

const numbers = ['', '', 'dos', 'tres', 'cuatro', 'cinco']
/** Feminine words that begin with a stressed a take "un" in the singular. */
const stressed = /^(águila|ala|alga|ancla|ave|arma|arpa|asta|hacha)\b/

export const spanish: Grammar = {
  one: ({ singular, gender }) => `${gender === 'f' && !stressed.test(singular) ? 'una' : 'un'} ${singular}`,
  some: ({ singular }) => singular,
  several: ({ plural }) => plural,
  few: (count, { plural }) => `${numbers[count]} ${plural}`,
  about: (count, { plural, gender }) => `${gender === 'f' ? 'unas' : 'unos'} ${count} ${plural}`,
  many: ({ plural, gender }) => `${gender === 'f' ? 'muchas' : 'muchos'} ${plural}`,
  and: (last) => (/^h?i(?!e)/i.test(last) ? 'e' : 'y'),
}
