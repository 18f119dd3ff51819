import { createHash } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { lazy } from '#shared/lazy.ts'
import type { Picture } from '../picture.ts'
import type { AiTag } from '../provider.ts'
import { hubFolder, hubModelById } from './catalog.ts'
import { type HubTensor, loadTransformers, openOptions, toImage } from './transformers.ts'
import { words } from './words.ts'

export type Siglip = {
  /** A picture's meaning as a unit vector, comparable with that of a text. */
  embedPicture(picture: Picture): Promise<Float32Array>
  embedText(text: string): Promise<Float32Array>
  /** `onStep` is called for each word that is read for the first time. */
  tag(picture: Float32Array, onStep: () => void): Promise<AiTag[]>
}

/** The length that the model was trained with; shorter texts are filled up. */
const textTokens = 64
/** The numbers with which the checkpoint turns a similarity into a probability, as other projects have read them from it. */
const logitScale = Math.exp(4.724453449249268)
const logitBias = -16.771724700927734
/** The model gives right single words between 0.02 and 0.9, and wrong ones far less. */
export const leastProbability = 0.02
const mostTags = 12

export const probabilityOf = (similarity: number) => 1 / (1 + Math.exp(-(logitScale * similarity + logitBias)))

export const dotProduct = (a: Float32Array, b: Float32Array) =>
  a.reduce((sum, value, index) => sum + value * b[index]!, 0)

const TokenizerFile = z.looseObject({ added_tokens: z.array(z.looseObject({ id: z.number(), content: z.string() })) })

export function openSiglip(modelsDirectory: string): Siglip {
  const { repository } = hubModelById('siglip2')
  const folder = join(hubFolder(modelsDirectory), repository)

  const vision = lazy(async () => {
    const library = await loadTransformers(modelsDirectory)
    const process = await library.AutoImageProcessor.from_pretrained(repository, { local_files_only: true })
    const model = await library.SiglipVisionModel.from_pretrained(repository, openOptions)
    return { library, process, model }
  })

  const text = lazy(async () => {
    const library = await loadTransformers(modelsDirectory)
    const json = TokenizerFile.parse(JSON.parse(await readFile(join(folder, 'tokenizer.json'), 'utf8')))
    const tokenizer = new library.PreTrainedTokenizer(json, { pad_token: '<pad>', eos_token: '<eos>' })
    const encode = (words: string) => tokenizer.encode(words, { add_special_tokens: false })
    const idOf = (token: string) => {
      const found = json.added_tokens.find(({ content }) => content === token)
      if (!found) throw new Error(`Expected ${token} in the vocabulary, received none`)
      return found.id
    }
    const [end, fill] = [idOf('<eos>'), idOf('<pad>')]
    const model = await library.SiglipTextModel.from_pretrained(repository, openOptions)
    return { library, model, encode, end, fill }
  })

  async function embedText(raw: string): Promise<Float32Array> {
    const { library, model, encode, end, fill } = await text.get()
    const tokens = encode(raw.toLowerCase().slice(0, 1000))
      .slice(0, textTokens - 1)
      .concat(end)
    const filled = Array.from({ length: textTokens }, (_, index) => BigInt(tokens[index] ?? fill))
    const row = (values: bigint[]) => new library.Tensor('int64', BigInt64Array.from(values), [1, textTokens])
    return toUnit(await model({ input_ids: row(filled), attention_mask: row(filled.map(() => 1n)) }))
  }

  let vectors: Promise<Float32Array[]> | undefined

  async function readWords(onStep: () => void): Promise<Float32Array[]> {
    const hash = createHash('sha256').update(words.join('\n')).digest('hex').slice(0, 16)
    const path = join(folder, `words-${hash}.f32`)
    const known = await readFile(path).catch(() => undefined)
    if (known?.length && known.length % (4 * words.length) === 0)
      return split(new Float32Array(Uint8Array.from(known).buffer))
    const read: Float32Array[] = []
    for (const word of words) {
      read.push(await embedText(`This is a photo of ${word}.`))
      onStep()
    }
    // A folder that cannot be written to costs half a minute at the next start, and nothing else.
    await writeFile(`${path}.part`, Buffer.concat(read.map(({ buffer }) => Buffer.from(buffer))))
      .then(() => rename(`${path}.part`, path))
      .catch(() => {})
    return read
  }

  return {
    async embedPicture(picture) {
      const { library, process, model } = await vision.get()
      return toUnit(await model(await process(toImage(library, picture))))
    },
    embedText,
    async tag(picture, onStep) {
      vectors ??= readWords(onStep)
      const known = await vectors.catch((error: unknown) => {
        vectors = undefined
        throw error
      })
      return words
        .map((name, index) => ({
          name,
          score: probabilityOf(dotProduct(picture, known[index]!)),
          source: 'model' as const,
        }))
        .filter(({ score }) => score >= leastProbability)
        .sort((a, b) => b.score - a.score)
        .slice(0, mostTags)
    },
  }
}

const split = (numbers: Float32Array) => {
  const width = numbers.length / words.length
  return words.map((_, index) => numbers.slice(index * width, (index + 1) * width))
}

function toUnit({ pooler_output: pooled }: Record<string, HubTensor>): Float32Array {
  if (!pooled) throw new Error('Expected the output pooler_output, received none')
  const length = Math.hypot(...pooled.data)
  if (!Number.isFinite(length) || length === 0) throw new Error('Expected a vector, received no direction')
  return Float32Array.from(pooled.data, (value) => value / length)
}
