import type { Grammar } from './wording.ts'

const numbers = ['', '', 'dois', 'três', 'quatro', 'cinco']
const isFeminine = (gender: string) => gender === 'f'

export const portuguese: Grammar = {
  one: ({ singular, gender }) => `${isFeminine(gender) ? 'uma' : 'um'} ${singular}`,
  some: ({ singular }) => singular,
  several: ({ plural }) => plural,
  few: (count, { plural, gender }) => `${count === 2 && isFeminine(gender) ? 'duas' : numbers[count]} ${plural}`,
  about: (count, { plural }) => `cerca de ${count} ${plural}`,
  many: ({ plural, gender }) => `${isFeminine(gender) ? 'muitas' : 'muitos'} ${plural}`,
  and: () => 'e',
}
