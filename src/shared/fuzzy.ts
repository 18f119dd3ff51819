import { fold } from './fold.ts'

const points = { wholeText: 10, textBegins: 8, wordBegins: 6, initials: 5, inside: 3, scattered: 1 }

/**
 * How well a text fits what a user typed, undefined if it does not. Every typed word must be in it: as the beginning of a word,
 * inside one, as initials ("mtc" finds "Move to Collection"), or as letters in their order from a word's beginning.
 */
export function fuzzyScore(typed: string, text: string): number | undefined {
  const folded = fold(text)
  const words = fold(typed).split(/\s+/).filter(Boolean)
  const scores = words.map((word) => scoreOf(word, folded))
  if (scores.some((score) => score === 0)) return undefined
  const average = scores.reduce((sum, score) => sum + score, 0) / (words.length || 1)
  // Of two equal fits the shorter text comes first.
  return average + 1 / (1 + folded.length)
}

function scoreOf(word: string, text: string): number {
  if (text === word) return points.wholeText
  if (text.startsWith(word)) return points.textBegins
  const parts = text.split(/[^\p{L}\p{N}]+/u).filter(Boolean)
  if (parts.some((part) => part.startsWith(word))) return points.wordBegins
  if (
    word.length > 1 &&
    parts
      .map((part) => part[0])
      .join('')
      .includes(word)
  )
    return points.initials
  if (text.includes(word)) return points.inside
  return parts.some((_, index) => isScattered(word, parts.slice(index).join(''))) ? points.scattered : 0
}

/** Letters may be left out, but not so many that any text would fit. */
function isScattered(word: string, text: string): boolean {
  if (word.length < 3 || text[0] !== word[0]) return false
  let at = 0
  for (const letter of word) {
    at = text.indexOf(letter, at) + 1
    if (at === 0) return false
  }
  return at <= word.length * 3
}
