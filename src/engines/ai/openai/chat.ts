import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { withCause } from '#platform/errors.ts'
import { cleanText } from '../clean-text.ts'
import { aiError } from '../errors.ts'
import type { AiUsage, Pay } from '../provider.ts'
import { adaptDialect, buildRequest, createDialect, type Question } from './dialect.ts'
import { extractJson, parseJson, withoutThoughts } from './extract-json.ts'
import type { Reply, Transport } from './transport.ts'

type Ask<T> = Omit<Question, 'model' | 'maxTokens' | 'jsonSchema'> & {
  /** What the model is told to answer. */
  shape: z.ZodType
  /** What is accepted from it, often more forgiving than the shape. */
  accepted: z.ZodType<T>
  signal?: AbortSignal
  pay?: Pay
  retries?: number
}

type Chat = { ask<T>(question: Ask<T>): Promise<{ answer: T; usage: AiUsage }> }

/** More than any model takes at once, or a part of one, was never counted. */
const Tokens = z.number().int().min(0).max(100_000_000).catch(0)

const Completion = z.object({
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        message: z.object({
          content: z.union([z.string(), z.array(z.object({ text: z.string().optional() }))]).nullish(),
          refusal: z.string().nullish(),
        }),
      }),
    )
    .min(1),
  usage: z.object({ prompt_tokens: Tokens, completion_tokens: Tokens }).nullish().catch(null),
})

const firstTokenLimit = 900
/** Three steps down the ladder, one repair, and the first attempt itself. */
const mostRounds = 7

/** Asks until the answer has the right shape: once more if it has not, and then no more. */
export function createChat(transport: Transport, model: string): Chat {
  const dialect = createDialect()

  return {
    async ask({ shape, accepted, signal, pay, retries, ...question }) {
      const jsonSchema = z.toJSONSchema(shape)
      const usage = { promptTokens: 0, completionTokens: 0 }
      let maxTokens = firstTokenLimit
      let complaint: string | undefined
      for (let round = 0; round < mostRounds; round++) {
        const prompt = complaint
          ? `${question.prompt}\nYour last answer could not be used: ${complaint}`
          : question.prompt
        const spoken = { ...dialect }
        const body = buildRequest({ ...question, model, prompt, jsonSchema, maxTokens }, spoken)
        const reply = await transport.post('/chat/completions', body, { signal, pay, retries })
        if (reply.status >= 300) {
          // Of questions at the same moment the first complaint takes the step for all of them.
          if (isComplaint(reply) && (!isDeepStrictEqual(spoken, dialect) || adaptDialect(dialect, reply.body))) continue
          throw explain(reply, model)
        }
        const { choice, used } = readCompletion(reply.body)
        usage.promptTokens += used.promptTokens
        usage.completionTokens += used.completionTokens
        const outcome = judge(choice, accepted)
        if ('answer' in outcome) return { answer: outcome.answer, usage }
        if (complaint) throw aiError('invalid-output', 'The model did not give a usable answer, even when asked twice.')
        complaint = outcome.complaint
        if (choice.finishReason === 'length') maxTokens *= 3
      }
      throw aiError('invalid-output', 'The AI endpoint accepts none of the ways to ask it.')
    },
  }
}

type Choice = { content: string; refusal?: string | null; finishReason?: string | null }

function readCompletion(body: string): { choice: Choice; used: AiUsage } {
  const parsed = Completion.safeParse(parseJson(body))
  if (!parsed.success) {
    throw aiError('invalid-output', 'The AI endpoint answered, but not as an OpenAI-compatible one. Check AI_BASE_URL.')
  }
  const { choices, usage } = parsed.data
  const { message, finish_reason: finishReason } = choices[0]!
  const content =
    typeof message.content === 'string'
      ? message.content
      : (message.content ?? []).map(({ text }) => text ?? '').join('')
  return {
    choice: { content, refusal: message.refusal, finishReason },
    used: { promptTokens: usage?.prompt_tokens ?? 0, completionTokens: usage?.completion_tokens ?? 0 },
  }
}

const refusalWords = /^(i'?m (very )?sorry|sorry,|i can(no|')t|i am (sorry|unable)|i'm (unable|not able)|as an ai)/i

function judge<T>(choice: Choice, accepted: z.ZodType<T>): { answer: T } | { complaint: string } {
  if (choice.refusal || choice.finishReason === 'content_filter') throw refused()
  const found = extractJson(choice.content)
  if (found === undefined) {
    if (refusalWords.test(withoutThoughts(choice.content).replace('’', "'"))) throw refused()
    return { complaint: choice.finishReason === 'length' ? 'it was cut off, be brief' : 'it held no JSON object' }
  }
  const parsed = accepted.safeParse(found)
  if (parsed.success) return { answer: parsed.data }
  return { complaint: z.prettifyError(parsed.error).slice(0, 300) }
}

const refused = () => aiError('refused', 'The model refused to describe this picture.')

const isComplaint = ({ status }: Reply) => status === 400 || status === 422 || status === 501

/** The endpoint's own words are for the log, and for the administrator who tries it. */
function explain({ status, body }: Reply, model: string) {
  if (status === 401 || status === 403) return aiError('auth', 'The AI endpoint refused the key. Check AI_API_KEY.')
  if (status === 402) return aiError('auth', 'The account at the AI endpoint has no credit left.')
  if (status === 413 || /context.{0,20}(length|window|size)|too many tokens|too large/i.test(body)) {
    return aiError('too-large', 'The picture is too large for the model.')
  }
  if (/image|vision|multimodal|modalit/i.test(body) && status !== 404) {
    return aiError('no-vision', `The model "${model}" cannot see pictures. Choose one with vision in AI_MODEL.`)
  }
  if (status === 404 || /model.{0,80}(not|unknown|exist|found|invalid)/i.test(body)) {
    return aiError('model', `The AI endpoint does not know the model "${model}". Check AI_MODEL and AI_BASE_URL.`)
  }
  // Where it was no complaint about a way to ask: a gateway without its backend, which passes.
  if (status >= 500) return aiError('server', `The AI endpoint answered with an error (${status}).`)
  const sentence = `The AI endpoint refused the request (${status}). The server’s log tells why.`
  return withCause(aiError('invalid-output', sentence), cleanText(body, 500) || undefined)
}
