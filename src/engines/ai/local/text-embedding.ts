import { z } from 'zod'
import type { Model } from './runtime.ts'

/** A text's meaning as a unit vector: the mean over its tokens. */
export async function embedText(model: Model, tokenize: Tokenizer, text: string): Promise<Float32Array> {
  const tokens = tokenize(text)
  const row = (values: number[]) => ({
    type: 'int64' as const,
    data: BigInt64Array.from(values, BigInt),
    dims: [1, values.length],
  })
  const { last_hidden_state: hidden } = await model.run({
    input_ids: row(tokens),
    attention_mask: row(tokens.map(() => 1)),
    token_type_ids: row(tokens.map(() => 0)),
  })
  const width = hidden!.dims[2]!
  const mean = new Float32Array(width)
  for (const [index, value] of hidden!.data.entries()) mean[index % width]! += value / tokens.length
  const length = Math.hypot(...mean)
  return mean.map((value) => value / length)
}

export type Tokenizer = (text: string) => number[]

const mostTokens = 128
const longestWord = 100

const TokenizerFile = z.object({ model: z.object({ vocab: z.record(z.string(), z.number()) }) })

/** WordPiece as BERT uses it: lower-case, without accents, punctuation apart, words in their longest known pieces. */
export function createTokenizer(json: string): Tokenizer {
  const vocabulary = new Map(Object.entries(TokenizerFile.parse(JSON.parse(json)).model.vocab))
  const idOf = (token: string) => {
    const id = vocabulary.get(token)
    if (id === undefined) throw new Error(`Expected ${token} in the vocabulary, received none`)
    return id
  }
  const [start, end, unknown] = [idOf('[CLS]'), idOf('[SEP]'), idOf('[UNK]')]

  function split(word: string): number[] {
    if (word.length > longestWord) return [unknown]
    const pieces: number[] = []
    for (let from = 0; from < word.length; ) {
      let to = word.length
      let id: number | undefined
      for (; to > from; to--) {
        id = vocabulary.get((from > 0 ? '##' : '') + word.slice(from, to))
        if (id !== undefined) break
      }
      if (id === undefined) return [unknown]
      pieces.push(id)
      from = to
    }
    return pieces
  }

  return (text) => [
    start,
    ...toWords(text)
      .flatMap(split)
      .slice(0, mostTokens - 2),
    end,
  ]
}

const separate = /[\p{P}$+<=>^`|~]|\p{Script=Han}/gu

function toWords(text: string): string[] {
  const plain = text
    .slice(0, 10_000)
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .replace(/\s+/g, ' ')
    .replace(/[\p{Cc}\p{Cf}]/gu, '')
  return plain.replace(separate, ' $& ').split(' ').filter(Boolean)
}
