import { tokenize, tokenTypes } from 'css-tree'

const opening = new Set<number>([
  tokenTypes.Function,
  tokenTypes.LeftParenthesis,
  tokenTypes.LeftSquareBracket,
  tokenTypes.LeftCurlyBracket,
])
const closing = new Set<number>([
  tokenTypes.RightParenthesis,
  tokenTypes.RightSquareBracket,
  tokenTypes.RightCurlyBracket,
])
/** A gradient within a calculation within a rule within a condition needs fewer than ten. */
const deepest = 32

/**
 * Brackets within brackets cost the parser time with the square of their number, seconds for 20 kB, and at last its stack:
 * so they are counted before it begins.
 */
export function isNestedTooDeeply(source: string) {
  let depth = 0
  let most = 0
  tokenize(source, (type) => {
    if (opening.has(type)) most = Math.max(most, ++depth)
    else if (closing.has(type)) depth = Math.max(0, depth - 1)
  })
  return most > deepest
}
