import type { Model } from './runtime.ts'
import type { Tokenizer } from './tokenizer.ts'

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
