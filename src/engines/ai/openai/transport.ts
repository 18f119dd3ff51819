import { setTimeout as wait } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { AppError } from '#platform/errors.ts'
import { aiError } from '../errors.ts'

export type TransportOptions = {
  baseUrl: string
  apiKey?: string
  timeoutMs: number
  /** First pause before another attempt; it doubles. */
  retryDelayMs?: number
}

export type Reply = { status: number; body: string; retryAfterSeconds?: number }

export type Transport = {
  /** Posts JSON. Answers of any status come back, except those that stay 429 or 5xx; 501 is about what was asked for. */
  post(path: string, body: unknown, options?: { signal?: AbortSignal; retries?: number }): Promise<Reply>
  close(): Promise<void>
}

const mostAnswerBytes = 1024 * 1024
/** A longer pause is the queue's business: the work is put back and its place given to others. */
const longestPauseMs = 15_000

/**
 * HTTP to a model's endpoint. The address comes from the operator's settings, never from a user; redirects are not
 * followed, so the key goes nowhere else.
 */
export function createTransport({ baseUrl, apiKey, timeoutMs, retryDelayMs = 500 }: TransportOptions): Transport {
  // The clock below is the only one: undici's own would end a slow model's answer after five minutes, whatever was configured.
  const agent = new Agent({ connections: 4, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 })
  const root = baseUrl.replace(/\/+$/, '')

  async function attempt(path: string, body: string, signal?: AbortSignal): Promise<Reply> {
    const limit = AbortSignal.timeout(timeoutMs)
    try {
      const {
        statusCode,
        headers,
        body: stream,
      } = await request(`${root}${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
        },
        body,
        signal: signal ? AbortSignal.any([limit, signal]) : limit,
        dispatcher: agent,
      })
      const text = await readWithin(stream, mostAnswerBytes)
      return { status: statusCode, body: text, retryAfterSeconds: parseRetryAfter(headers['retry-after']) }
    } catch (error) {
      signal?.throwIfAborted()
      if (limit.aborted) throw aiError('timeout', `The AI endpoint gave no answer within ${timeoutMs / 1000} s.`)
      if (error instanceof AppError) throw error
      throw aiError('network', 'The AI endpoint could not be reached. Check AI_BASE_URL and the connection.')
    }
  }

  return {
    async post(path, body, { signal, retries = 2 } = {}) {
      const text = JSON.stringify(body)
      for (let attempts = 0; ; attempts++) {
        const outcome = await attempt(path, text, signal).catch((error: unknown) => error)
        const fault = asPassingFault(outcome)
        if (!fault) {
          if (outcome instanceof Error) throw outcome
          return outcome as Reply
        }
        const askedForMs = (fault.details.retryAfterSeconds as number | undefined)
          ? (fault.details.retryAfterSeconds as number) * 1000
          : retryDelayMs * 2 ** attempts * (0.75 + Math.random() / 2)
        if (attempts >= retries || askedForMs > longestPauseMs) throw fault
        await wait(askedForMs, undefined, { signal })
      }
    },
    close: () => agent.destroy(),
  }
}

/** The fault of an outcome that another attempt may mend. A timeout is none: the next attempt would wait as long. */
function asPassingFault(outcome: unknown): AppError | undefined {
  if (outcome instanceof AppError) return outcome.code === 'ai-network' ? outcome : undefined
  if (outcome instanceof Error) return undefined
  const { status, retryAfterSeconds } = outcome as Reply
  if (status === 429) {
    return aiError('rate', 'The AI endpoint asks for a pause: too many requests or the quota is used up.', {
      retryAfterSeconds,
    })
  }
  if (status >= 500 && status !== 501) {
    return aiError('server', `The AI endpoint answered with an error (${status}).`, { retryAfterSeconds })
  }
  return undefined
}

async function readWithin(stream: AsyncIterable<Buffer>, mostBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream) {
    bytes += chunk.length
    if (bytes > mostBytes) {
      throw aiError('too-large', 'The AI endpoint sent more than 1 MB, which was not read.')
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Seconds, or a date. */
export function parseRetryAfter(header: string | string[] | undefined): number | undefined {
  if (typeof header !== 'string') return undefined
  const seconds = /^\d+(\.\d+)?$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  return seconds > 0 ? Math.ceil(seconds) : undefined
}
