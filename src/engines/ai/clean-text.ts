/**
 * Control, bidirectional and invisible characters, which can make a text look like another one. Joiners stay between letters,
 * as in Persian or Hindi, and within emoji.
 */
const invisible =
  /(?!\p{Join_Control})[\p{Cc}\p{Cf}\p{Cs}\p{Co}\u2028\u2029]|(?<![\p{L}\p{M}\p{Emoji}])\p{Join_Control}|\p{Join_Control}(?![\p{L}\p{M}\p{Emoji}])/gu

/**
 * Text from an image or a model as one plain paragraph. It is untrusted input: callers never interpret it, and display it
 * only as text.
 */
export function cleanText(text: string, mostCharacters: number): string {
  const plain = startOf(text, mostCharacters)
    .normalize('NFC')
    .replace(/\s+/g, ' ')
    .replace(invisible, '')
    .replace(/ {2,}/g, ' ')
    .trim()
  return shorten(plain, mostCharacters)
}

/** The same for text of several lines. */
export function cleanLines(lines: string[], mostCharacters: number): string {
  const read = startOf(lines.join('\n'), mostCharacters).split('\n')
  const plain = read.map((line) => cleanText(line, mostCharacters)).filter(Boolean)
  return shorten(plain.join('\n'), mostCharacters)
}

/** A model may answer with a megabyte, and combining marks take time with the square of their number to be put in order. */
const startOf = (text: string, mostCharacters: number) => text.slice(0, 2 * mostCharacters)

/** Cut at a word's end, with an ellipsis that counts towards the length. */
function shorten(text: string, mostCharacters: number): string {
  if (text.length <= mostCharacters) return text
  const cut = text.slice(0, mostCharacters - 1).replace(/[\uD800-\uDBFF]$/, '')
  const wordEnd = cut.search(/\s\S*$/)
  return `${wordEnd > mostCharacters / 2 ? cut.slice(0, wordEnd) : cut}…`
}
