import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { aiError } from '../errors.ts'
import type { AiUsage, Pay } from '../provider.ts'
import { type Choice, extractJson, readCompletion, withoutThoughts } from './completion.ts'
import { explain, isLasting, type Reply, refused } from './explain.ts'
import type { Transport } from './transport.ts'

type Ask<T> = Omit<Question, 'model' | 'prompt' | 'maxTokens' | 'jsonSchema'> & {
  /** Told how many of the pictures are sent: not every endpoint takes all. */
  prompt: (sentPictures: number) => string
  /** What the model is told to answer. */
  shape: z.ZodType
  /** What is accepted from it, often more forgiving than the shape. */
  accepted: z.ZodType<T>
  signal?: AbortSignal
  pay?: Pay
  retries?: number
}

type Chat = { ask<T>(question: Ask<T>): Promise<{ answer: T; usage: AiUsage }> }

const usualTokenLimit = 900
/** How many times more an answer that was cut off is given: who thinks first needs most. */
const moreRoom = { speaking: 3, thinking: 6 }
/** Steps down the ladder, one repair, and the first attempt itself. */
const mostRounds = 7

/** Asks until the answer has the right shape: once more if it has not, and then no more. */
export function createChat(transport: Transport, model: string): Chat {
  const dialect = createDialect()
  // A model that needed more room once is given it from then on: otherwise each picture would be asked about twice.
  let tokenLimit = usualTokenLimit

  return {
    async ask({ shape, accepted, signal, pay, retries, ...question }) {
      const jsonSchema = z.toJSONSchema(shape)
      const usage = { promptTokens: 0, completionTokens: 0 }
      let maxTokens = tokenLimit
      let complaint: string | undefined
      for (let round = 0; round < mostRounds; round++) {
        const spoken = { ...dialect }
        const pictures = pickEvenly(question.pictures, spoken.mostPictures)
        const asked = question.prompt(pictures.length)
        const prompt = complaint ? `${asked}\nYour last answer could not be used: ${complaint}` : asked
        const body = buildRequest({ ...question, model, prompt, pictures, jsonSchema, maxTokens }, spoken)
        const reply = await transport.post('/chat/completions', body, { signal, pay, retries })
        if (reply.status >= 300) {
          // The first error among concurrent requests changes the parameters for all of them.
          if (isComplaint(reply) && (!isDeepStrictEqual(spoken, dialect) || adaptDialect(dialect, reply.body))) continue
          throw explain(reply, model)
        }
        const { choice, used } = readCompletion(reply.body)
        usage.promptTokens += used.promptTokens
        usage.completionTokens += used.completionTokens
        const outcome = judge(choice, accepted)
        if ('answer' in outcome) {
          tokenLimit = Math.max(tokenLimit, maxTokens)
          return { answer: outcome.answer, usage }
        }
        if (complaint) throw unusable(choice)
        complaint = outcome.complaint
        if (choice.isCutOff) maxTokens *= choice.hasThought ? moreRoom.thinking : moreRoom.speaking
      }
      throw aiError('invalid-output', 'The AI endpoint accepts none of the supported request formats.')
    },
  }
}

const refusalWords = /^(i'?m (very )?sorry|sorry,|i can(no|')t|i am (sorry|unable)|i'm (unable|not able)|as an ai)/i

function judge<T>(choice: Choice, accepted: z.ZodType<T>): { answer: T } | { complaint: string } {
  if (choice.refusal || choice.isFiltered) throw refused()
  const found = extractJson(choice.content)
  if (found === undefined) {
    if (refusalWords.test(withoutThoughts(choice.content).replace('’', "'"))) throw refused()
    return { complaint: choice.isCutOff ? 'it was cut off, be brief' : 'it held no JSON object' }
  }
  const parsed = accepted.safeParse(found)
  if (parsed.success) return { answer: parsed.data }
  return { complaint: z.prettifyError(parsed.error).slice(0, 300) }
}

function unusable({ isCutOff }: Choice) {
  const sentence = 'The model gave no usable answer in two attempts'
  return aiError(
    'invalid-output',
    isCutOff ? `${sentence}: its answer was cut off. Choose another model in AI_MODEL.` : `${sentence}.`,
  )
}

const isComplaint = (reply: Reply) => [400, 422, 501].includes(reply.status) || isLasting(reply)

/**
 * What an endpoint has been found to understand. Every server claims to speak OpenAI's protocol; few speak all of it.
 * The first complaint moves one step down, and the step is kept for all later calls.
 */
type Dialect = {
  format: 'json_schema' | 'json_object' | 'plain'
  tokensField: 'max_tokens' | 'max_completion_tokens'
  hasTemperature: boolean
  mostPictures: number
}

const createDialect = (): Dialect => ({
  format: 'json_schema',
  tokensField: 'max_tokens',
  hasTemperature: true,
  mostPictures: Number.POSITIVE_INFINITY,
})

/** Adapts to a complaint about the request; false when the complaint is about something else. */
function adaptDialect(dialect: Dialect, complaint: string): boolean {
  if (dialect.tokensField === 'max_tokens' && /max_completion_tokens/i.test(complaint)) {
    dialect.tokensField = 'max_completion_tokens'
    return true
  }
  if (dialect.hasTemperature && /temperature/i.test(complaint)) {
    dialect.hasTemperature = false
    return true
  }
  if (
    dialect.format !== 'plain' &&
    /response_format|json[ _]?(schema|object|mode)|schema|grammar|structured output/i.test(complaint)
  ) {
    dialect.format = dialect.format === 'json_schema' ? 'json_object' : 'plain'
    return true
  }
  // vLLM takes as many as it was started for, some models one.
  const most = /single image/i.test(complaint) ? 1 : Number(/at most (\d+) image/i.exec(complaint)?.[1])
  if (most > 0 && most < dialect.mostPictures) {
    dialect.mostPictures = most
    return true
  }
  return false
}

export function pickEvenly<T>(items: T[], most: number): T[] {
  if (items.length <= most) return items
  return Array.from({ length: most }, (_, index) => items[Math.floor((index * items.length) / most)]!)
}

type Picture = { data: Uint8Array; type?: 'image/jpeg' | 'image/png' }

type Question = {
  model: string
  system: string
  prompt: string
  pictures: Picture[]
  jsonSchema: unknown
  maxTokens: number
}

function buildRequest(question: Question, { format, tokensField, hasTemperature }: Dialect) {
  const { model, system, prompt, pictures, jsonSchema, maxTokens } = question
  const schemaNote = `\nAnswer with ONE JSON object that matches this JSON Schema, and nothing else:\n${JSON.stringify(jsonSchema)}`
  const responseFormat = {
    json_schema: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema: jsonSchema } },
    json_object: { type: 'json_object' },
    plain: undefined,
  }[format]
  return {
    model,
    // Some gateways stream unless they are told.
    stream: false,
    [tokensField]: maxTokens,
    ...(hasTemperature ? { temperature: 0.2 } : {}),
    ...(responseFormat ? { response_format: responseFormat } : {}),
    messages: [
      { role: 'system', content: format === 'json_schema' ? system : system + schemaNote },
      { role: 'user', content: [{ type: 'text', text: prompt }, ...pictures.map(pictureContent)] },
    ],
  }
}

const pictureContent = ({ data, type = 'image/jpeg' }: Picture) => ({
  type: 'image_url',
  image_url: { url: `data:${type};base64,${Buffer.from(data).toString('base64')}` },
})
