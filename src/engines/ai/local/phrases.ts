const uncountable =
  /(wear|photography|space|baseball|soccer|tennis|cooking|music|hay|coffee|espresso|food|greenery|sky)$/
const samePlural = /(sheep|glasses|scissors|skis|fish|deer|jean)$/

export const withArticle = (word: string) =>
  uncountable.test(word) || samePlural.test(word) ? word : `${/^[aeiou]/.test(word) ? 'an' : 'a'} ${word}`

function toPlural(word: string): string {
  if (word === 'person') return 'people'
  if (samePlural.test(word)) return word
  if (/(ch|sh|x|s)$/.test(word)) return `${word}es`
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`
  return `${word}s`
}

const numberWords = ['no', 'one', 'two', 'three', 'four', 'five']

/** "a dog", "two dogs", "about 8 people", "many birds": counts become vaguer as they become less certain. */
export function countPhrase(count: number, word: string): string {
  if (count === 1) return word === 'person' ? 'one person' : withArticle(word)
  if (count < numberWords.length) return `${numberWords[count]} ${toPlural(word)}`
  return count <= 10 ? `about ${count} ${toPlural(word)}` : `many ${toPlural(word)}`
}

export function joinWords(words: string[]): string {
  if (words.length < 2) return words.join('')
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}

export const capitalise = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
