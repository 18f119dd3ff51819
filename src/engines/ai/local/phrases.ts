/** Whole words, or a husky would be a sky and an acorn corn. */
const uncountable = new RegExp(
  `\\b(${[
    'baseball|basketball|bread|broccoli|carbonara|cattle|chain mail|chocolate sauce|citrus|clothing|coffee|consomme|cooking',
    'corn|dough|eggnog|espresso|food|furniture|greenery|guacamole|hair spray|hay|jewellery|mashed potato|music|photography',
    'red wine|sky|soccer|space|tennis|water|wear|wool',
  ].join('|')})$`,
)
/** One of them is two already. */
const pair = /\b((sun)?glasses|binoculars|jeans|scissors|skis|swimming trunks|parallel bars)$/
const samePlural = /(sheep|fish|deer)$/
const startsWithVowel = /^([aio]|e(?!u)|u(?!ni)|hour)/

export const withArticle = (word: string) =>
  uncountable.test(word) || pair.test(word) ? word : `${startsWithVowel.test(word) ? 'an' : 'a'} ${word}`

function toPlural(word: string): string {
  if (word === 'person') return 'people'
  if (word === 'mouse') return 'mice'
  if (word === 'knife') return 'knives'
  if (pair.test(word) || samePlural.test(word)) return word
  if (/(ch|sh|x|s)$/.test(word)) return `${word}es`
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`
  return `${word}s`
}

const numberWords = ['no', 'one', 'two', 'three', 'four', 'five']

/** "a dog", "two dogs", "about 8 people", "many birds": counts become vaguer as they become less certain. */
export function countPhrase(count: number, word: string): string {
  if (uncountable.test(word)) return word
  if (count === 1) return word === 'person' ? 'one person' : withArticle(word)
  if (count < numberWords.length) return `${numberWords[count]} ${toPlural(word)}`
  return count <= 10 ? `about ${count} ${toPlural(word)}` : `many ${toPlural(word)}`
}

export function joinWords(words: string[]): string {
  if (words.length < 2) return words.join('')
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}

export const capitalise = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
