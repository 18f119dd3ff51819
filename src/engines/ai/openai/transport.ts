import { setTimeout as wait } from 'node:timers/promises'
import { AppError } from '#platform/errors.ts'
import { limitConcurrency } from '#shared/concurrency.ts'
import { lazy } from '#shared/lazy.ts'
import { aiError, aiErrorKind } from '../errors.ts'
import type { Pay } from '../provider.ts'
import { parseJson } from './completion.ts'
import { explainConnectionError, isLasting, type Reply } from './explain.ts'

export type TransportOptions = {
  baseUrl: string
  apiKey?: string
  timeoutMs: number
  /** First pause before another attempt; it doubles. */
  retryDelayMs?: number
}

type PostOptions = { signal?: AbortSignal; retries?: number; pay?: Pay }

export type Transport = {
  /** Posts JSON. Throws if retries end in 429 or 5xx; all other replies are returned, also 501, which concerns the request. */
  post(path: string, body: unknown, options?: PostOptions): Promise<Reply>
  close(): Promise<void>
}

const maxReplyBytes = 1024 * 1024
const maxConcurrency = 4
/** For a longer delay the job goes back to the queue, so that other jobs can run. */
const maxRetryDelayMs = 15_000

/**
 * HTTP to a model's endpoint. The address comes from the operator's settings, never from a user; redirects are not
 * followed, so the key goes nowhere else.
 */
export function createTransport({ baseUrl, apiKey, timeoutMs, retryDelayMs = 500 }: TransportOptions): Transport {
  const client = lazy(async () => {
    const { Agent, request } = await import('undici')
    // undici's own timeouts are off: they would end a slow model's reply after five minutes regardless of `timeoutMs`.
    const agent = new Agent({ connections: maxConcurrency, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 })
    return { agent, request }
  })
  // Requests wait here for a free connection, before their timeout starts.
  const limited = limitConcurrency(maxConcurrency)
  const addressOf = addressesUnder(baseUrl)

  async function attempt(path: string, body: string, signal?: AbortSignal): Promise<Reply> {
    const limit = AbortSignal.timeout(timeoutMs)
    try {
      const { agent, request } = await client.get()
      const {
        statusCode,
        headers,
        body: stream,
      } = await request(addressOf(path), {
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
      const text = await readWithin(stream, maxReplyBytes)
      const status = faultWithin(text) ?? statusCode
      return {
        status,
        body: status < 300 ? text : withoutKey(text, apiKey),
        retryAfterSeconds: parseRetryAfter(headers['retry-after']),
      }
    } catch (error) {
      signal?.throwIfAborted()
      if (limit.aborted) throw tooSlow(timeoutMs)
      if (error instanceof AppError) throw error
      throw explainConnectionError(error)
    }
  }

  /** Returns the reply, or the error instead of throwing it. */
  async function attemptPaid(path: string, body: string, { signal, pay }: PostOptions): Promise<unknown> {
    signal?.throwIfAborted()
    let outcome: unknown
    const send = async () => {
      outcome = await attempt(path, body, signal).catch((error: unknown) => error)
      return { isFree: isFree(outcome) }
    }
    await (pay ? pay(send) : send())
    return outcome
  }

  return {
    async post(path, body, { signal, retries = 2, pay } = {}) {
      const text = JSON.stringify(body)
      for (let attempts = 0; ; attempts++) {
        const outcome = await limited(() => attemptPaid(path, text, { signal, pay }))
        const fault = asTemporaryError(outcome)
        if (!fault) {
          if (outcome instanceof Error) throw outcome
          return outcome as Reply
        }
        const { retryAfterSeconds } = fault.details as { retryAfterSeconds?: number }
        const delayMs = retryAfterSeconds
          ? retryAfterSeconds * 1000
          : retryDelayMs * 2 ** attempts * (0.75 + Math.random() / 2)
        if (attempts >= retries || delayMs > maxRetryDelayMs) throw fault
        await wait(delayMs, undefined, { signal })
      }
    },
    close: () => client.close(({ agent }) => agent.destroy()),
  }
}

/** The error of an outcome that is worth a retry. A timeout is not: the next attempt would take as long. */
function asTemporaryError(outcome: unknown): AppError | undefined {
  if (outcome instanceof AppError) return outcome.code === 'ai-network' ? outcome : undefined
  if (outcome instanceof Error) return undefined
  const reply = outcome as Reply
  if (isLasting(reply)) return undefined
  const { status, retryAfterSeconds } = reply
  if (status === 429) {
    return aiError('rate', 'The AI endpoint is rate limited: too many requests, or the quota is used up.', {
      retryAfterSeconds,
    })
  }
  if (status === 408 || (status >= 500 && status !== 501)) {
    const loading = status === 503 ? ' It may still be loading its model: please try again in a minute.' : ''
    return aiError('server', `The AI endpoint answered with an error (${status}).${loading}`, { retryAfterSeconds })
  }
  return undefined
}

function tooSlow(timeoutMs: number) {
  const sentence = `The AI endpoint gave no answer within ${timeoutMs / 1000} s. Raise AI_TIMEOUT_SECONDS to allow more time.`
  return aiError('timeout', sentence)
}

/** Accepts a base URL with a trailing slash, with the whole path, or with a query string, as Azure's URLs have one. */
function addressesUnder(baseUrl: string) {
  const { origin, pathname, search } = new URL(baseUrl)
  const root = pathname.replace(/\/+$/, '').replace(/\/chat\/completions$/, '')
  return (path: string) => `${origin}${root}${path}${search}`
}

/** A shorter key is not a secret, such as the "ollama" that some programs require. */
const shortestSecret = 8

/** Some endpoints repeat the key in their error messages, which are logged. */
const withoutKey = (text: string, key = '') => (key.length < shortestSecret ? text : text.replaceAll(key, '…'))

/** Only a refused or undelivered request is free: when the connection broke later, the model may still have run. */
function isFree(outcome: unknown) {
  if (!(outcome instanceof Error)) return (outcome as Reply).status >= 300
  const { code } = (outcome.cause ?? {}) as NodeJS.ErrnoException
  return aiErrorKind(outcome) === 'network' && !['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(code ?? '')
}

/** Gateways such as OpenRouter answer 200 before they know how the model fares, and tell its fault in the body. */
function faultWithin(body: string): number | undefined {
  if (!body.includes('"error"')) return undefined
  const { error, choices } = Object(parseJson(body)) as { error?: { code?: unknown }; choices?: unknown }
  const code = choices ? Number.NaN : Number(error?.code)
  return code >= 400 && code < 600 ? code : undefined
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
