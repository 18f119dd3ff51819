import { createHash } from 'node:crypto'
import { z } from 'zod'

/**
 * What a person would expect of a picture's tags. Any word of a group will do; the main subject is the first group unless
 * it is named. A tag that is neither expected nor in `may` is wrong.
 */
export type Expected = { main: string[]; must: string[][]; may: string[] }
export type Labels = Record<string, Expected>

/** Words of one meaning, separated by commas; `@flower` stands for the words of the set of that name. */
const Words = z.string()
const Picture = z.union([
  z.array(Words).transform((must) => ({ must, main: undefined, may: undefined })),
  z.object({ must: z.array(Words).min(1), main: Words.optional(), may: z.union([Words, z.array(Words)]).optional() }),
])
const Pictures = z.record(z.string(), Picture)
const Sets = z.record(z.string(), Words)

export const Labels = z
  .union([z.object({ sets: Sets, pictures: Pictures }), Pictures.transform((pictures) => ({ sets: {}, pictures }))])
  .transform(({ sets, pictures }): Labels => {
    const expand = (words: string) => wordsOf(words).flatMap((word) => expandSet(word, sets))
    return Object.fromEntries(
      Object.entries(pictures).map(([file, { must, main, may = [] }]) => {
        const groups = must.map(expand)
        return [
          file,
          { must: groups, main: main ? expand(main) : (groups[0] ?? []), may: [may].flat().flatMap(expand) },
        ]
      }),
    )
  })

/** Half of the pictures is never looked at while tuning. The name decides, so that a new picture has no choice. */
export function isFrozen(file: string): boolean {
  return createHash('sha1').update(file).digest().at(-1)! % 2 === 0
}

function expandSet(word: string, sets: Record<string, string>): string[] {
  if (!word.startsWith('@')) return [word]
  const set = sets[word.slice(1)]
  if (set === undefined) throw new Error(`The labels have no set ${word}.`)
  return wordsOf(set)
}

const wordsOf = (text: string) =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean)
