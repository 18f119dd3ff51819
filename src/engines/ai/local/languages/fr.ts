import type { Grammar } from './wording.ts'

const numbers = ['', '', 'deux', 'trois', 'quatre', 'cinq']
/** Words with an aspirated h, before which nothing is elided. */
const aspirated = /^(hache|hamac|hangar|hamster|haricot|harpe|haut|hérisson|héron|hibou|homard|hors|hot|husky)/i
const isElided = (word: string) =>
  /^[aeiouyàâäéèêëîïôöùûüœh]/i.test(word) && !aspirated.test(word) && !/^y[ao]/i.test(word)
const of = (word: string) => (isElided(word) ? `d’${word}` : `de ${word}`)

export const french: Grammar = {
  one: ({ singular, gender }) => `${gender === 'f' ? 'une' : 'un'} ${singular}`,
  some: ({ singular, gender }) =>
    isElided(singular) ? `de l’${singular}` : `${gender === 'f' ? 'de la' : 'du'} ${singular}`,
  several: ({ plural }) => `des ${plural}`,
  few: (count, { plural }) => `${numbers[count]} ${plural}`,
  about: (count, { plural }) => `environ ${count} ${plural}`,
  many: ({ plural }) => `beaucoup ${of(plural)}`,
  and: () => 'et',
}
