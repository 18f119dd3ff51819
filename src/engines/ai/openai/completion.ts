import { z } from 'zod'
import { withCause } from '#platform/errors.ts'
import { cleanText } from '../clean-text.ts'
import { aiError } from '../errors.ts'
import type { AiUsage } from '../provider.ts'

export type Choice = {
  content: string
  refusal?: string | null
  /** It ended at the limit of its tokens. */
  isCutOff: boolean
  isFiltered: boolean
  /** It thought before it spoke, and its thoughts count. */
  hasThought: boolean
}

/** More than any model takes at once, or a part of one, was never counted. */
const Tokens = z.number().int().min(0).max(100_000_000).catch(0)
const Text = z.string().nullish().catch(null)
const Fault = z.union([z.string(), z.object({ message: z.string() }).transform(({ message }) => message)])

const Completion = z.object({
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        message: z.object({
          content: z.union([z.string(), z.array(z.object({ text: z.string().optional() }))]).nullish(),
          refusal: z.string().nullish(),
          reasoning_content: Text,
          reasoning: Text,
          tool_calls: z
            .array(z.object({ function: z.object({ arguments: z.string() }) }))
            .nullish()
            .catch(null),
        }),
        /** OpenRouter's way to tell that the model broke off. */
        error: Fault.optional().catch(undefined),
      }),
    )
    .min(1),
  usage: z.object({ prompt_tokens: Tokens, completion_tokens: Tokens }).nullish().catch(null),
})

const Failure = z.object({ error: Fault })

/** What the model said, wherever its server put it. */
export function readCompletion(body: string): { choice: Choice; used: AiUsage } {
  const answer = parseJson(body) ?? joinEvents(body)
  const parsed = Completion.safeParse(answer)
  const failure = parsed.success ? parsed.data.choices[0]!.error : Failure.safeParse(answer).data?.error
  if (failure !== undefined) {
    const sentence = 'The AI endpoint answered with an error instead of a description. The server’s log tells why.'
    throw withCause(aiError('server', sentence), cleanText(failure, 500) || undefined)
  }
  if (!parsed.success) {
    throw aiError('invalid-output', 'The AI endpoint answered, but not as an OpenAI-compatible one. Check AI_BASE_URL.')
  }
  const { choices, usage } = parsed.data
  const { message, finish_reason: finishReason } = choices[0]!
  const spoken =
    typeof message.content === 'string'
      ? message.content
      : (message.content ?? []).map(({ text }) => text ?? '').join('')
  const isCutOff = finishReason === 'length'
  const thoughts = message.reasoning_content || message.reasoning || ''
  // Some servers take the whole answer for a thought, or for the use of a tool.
  const elsewhere = message.tool_calls?.[0]?.function.arguments ?? (isCutOff ? '' : thoughts)
  return {
    choice: {
      content: spoken.trim() ? spoken : elsewhere,
      refusal: message.refusal,
      isCutOff,
      isFiltered: finishReason === 'content_filter',
      hasThought: thoughts !== '' || spoken.includes('<think'),
    },
    used: { promptTokens: usage?.prompt_tokens ?? 0, completionTokens: usage?.completion_tokens ?? 0 },
  }
}

const Event = z.object({
  choices: z
    .array(
      z.object({
        finish_reason: Text,
        delta: z.object({ content: Text, refusal: Text, reasoning_content: Text, reasoning: Text }).nullish(),
      }),
    )
    .nullish(),
  usage: z.unknown().optional(),
  error: z.unknown().optional(),
})

/** Some gateways stream although they are asked not to: the events as the one answer that they make, or undefined. */
function joinEvents(body: string): unknown {
  const events = body.split('\n').flatMap((line) => {
    const { data } = Event.safeParse(line.startsWith('data:') ? parseJson(line.slice('data:'.length)) : undefined)
    return data ?? []
  })
  const failed = events.find(({ error }) => error)
  if (events.length === 0 || failed) return failed
  const parts = events.flatMap(({ choices }) => choices?.[0] ?? [])
  const join = (of: 'content' | 'refusal' | 'reasoning_content' | 'reasoning') =>
    parts.map(({ delta }) => delta?.[of] ?? '').join('')
  const message = {
    content: join('content'),
    refusal: join('refusal'),
    reasoning_content: join('reasoning_content'),
    reasoning: join('reasoning'),
  }
  const finishReason = parts.findLast(({ finish_reason }) => finish_reason)?.finish_reason
  const usage = events.findLast((event) => event.usage)?.usage
  return { choices: [{ finish_reason: finishReason, message }], usage }
}

const mostAttempts = 20

/**
 * The JSON object in a model's answer, which small models wrap in thoughts, fences and chatter. Undefined when there
 * is none.
 */
export function extractJson(answer: string): unknown {
  const spoken = withoutThoughts(answer)
  const fenced = /```(?:json)?([\s\S]*?)```/i.exec(spoken)?.[1]
  for (const candidate of [spoken, fenced ?? '']) {
    const parsed = parseObject(candidate.trim())
    if (parsed !== undefined) return parsed
  }
  let start = spoken.indexOf('{')
  for (let attempt = 0; start >= 0 && attempt < mostAttempts; attempt++) {
    const end = endOfObject(spoken, start)
    const parsed = end > 0 ? parseObject(spoken.slice(start, end)) : undefined
    if (parsed !== undefined) return parsed
    start = spoken.indexOf('{', start + 1)
  }
  return undefined
}

/** Some servers cut the opening mark of a thought off, so everything before the last closing one goes. */
export function withoutThoughts(answer: string): string {
  const spoken = answer.split(/<\/think(?:ing)?>/).at(-1)!
  return spoken.replace(/<think(?:ing)?>[\s\S]*$/, '').trim()
}

/** Undefined when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function parseObject(text: string): unknown {
  if (!text.startsWith('{')) return undefined
  const parsed = parseJson(text)
  if (parsed !== undefined) return parsed
  // Small models break lines within a text, and leave commas behind the last element.
  const mended = text.replace(/\p{Cc}/gu, ' ')
  return parseJson(mended) ?? parseJson(mended.replace(/,(\s*[}\]])/g, '$1'))
}

/** Position after the brace that closes the object, or 0 when it is never closed. */
function endOfObject(text: string, start: number): number {
  let depth = 0
  let isInString = false
  for (let at = start; at < text.length; at++) {
    const character = text[at]
    if (isInString) {
      if (character === '\\') at++
      else if (character === '"') isInString = false
    } else if (character === '"') isInString = true
    else if (character === '{') depth++
    else if (character === '}' && --depth === 0) return at + 1
  }
  return 0
}
