import type { Grammar, Noun } from './wording.ts'

const numbers = ['', '', 'due', 'tre', 'quattro', 'cinque']
const startsWithVowel = /^[aeiouàèéìòù]/i
/** Before s and a consonant, z, gn, ps, x and i with a vowel the article is "uno". */
const startsHard = /^(s[^aeiou\s]|z|gn|pn|ps|x|y|i[aeou])/i

function articled({ singular, gender }: Noun) {
  if (gender === 'f')
    return startsWithVowel.test(singular) && !/^i[aeou]/i.test(singular) ? `un’${singular}` : `una ${singular}`
  return `${startsHard.test(singular) ? 'uno' : 'un'} ${singular}`
}

export const italian: Grammar = {
  one: articled,
  some: ({ singular }) => singular,
  several: ({ plural }) => plural,
  few: (count, { plural }) => `${numbers[count]} ${plural}`,
  about: (count, { plural }) => `circa ${count} ${plural}`,
  many: ({ plural, gender }) => `${gender === 'f' ? 'molte' : 'molti'} ${plural}`,
  and: (last) => (/^e/i.test(last) ? 'ed' : 'e'),
}
