import type { Address, CallInput, ResponseOf, Route } from '#platform/contract.ts'
import { urlOf } from '#platform/url-of.ts'

/** Any response that is not OK. The message is "{status}: {text}". */
export class ApiError extends Error {
  readonly status: number
  readonly body: unknown

  constructor(status: number, text: string) {
    super(`${status}: ${text}`)
    this.name = 'ApiError'
    this.status = status
    this.body = parseJsonOrText(text)
  }
}

function parseJsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // A proxy's error page is not JSON.
    return text
  }
}

const proxyLimitMessage =
  'The proxy in front of Albumen rejected a request of this size. Ask its administrator to raise the limit.'

/** The server's message for the user, or the fallback when there is none. */
export function messageOf(error: unknown, fallback: string): string {
  const body = error instanceof ApiError ? error.body : undefined
  if (typeof body !== 'object' || body === null || !('message' in body) || typeof body.message !== 'string')
    return isProxyLimit(error) ? proxyLimitMessage : fallback
  // Drops the field's name ("tags.0: A tag …") before a full sentence, which is clear without it.
  return 'field' in body ? body.message.replace(/^\S+: (?=[A-Z])/, '') : body.message
}

/** Many proxies limit bodies to a megabyte by default and respond with a page of their own. */
export function isProxyLimit(error: unknown): boolean {
  return error instanceof ApiError && error.status === 413 && typeof error.body === 'string'
}

/** Why no response arrived; undefined for an error that the server responded with. */
export function connectionProblem(error: unknown): string | undefined {
  // `fetch` throws a TypeError for every failure of the connection.
  if (!(error instanceof TypeError)) return undefined
  return navigator.onLine === false ? "You're offline." : "The server didn't respond. Check your connection."
}

/** The reason in a toast, after a sentence that says what failed: the server's message, or the connection. */
export const causeOf = (error: unknown): string => messageOf(error, '') || (connectionProblem(error) ?? '')

/** Why a request failed: the server's message if it responded, else the connection. */
export function failureReason(error: unknown): string {
  return error instanceof ApiError ? messageOf(error, 'Please try again in a moment.') : 'Please check your connection.'
}

type Input = { params?: Record<string, unknown>; query?: Record<string, unknown>; body?: unknown }
type CallArguments<R extends Route> =
  unknown extends CallInput<R>
    ? [input?: undefined, options?: CallOptions]
    : [input: CallInput<R>, options?: CallOptions]
export type CallOptions = { signal?: AbortSignal }

/**
 * `call<typeof mediaApi.list>('GET /api/media', …)`: the contract is imported as a type alone, so its schemas, which only the
 * server needs, stay out of the browser. An address that the contract does not have fails to compile.
 */
export async function call<R extends Route = never>(
  address: Address<R>,
  ...[input, options]: CallArguments<R>
): Promise<ResponseOf<R>> {
  const response = await fetchResponse<R>(address, input as Input | undefined, options)
  if (response.status === 204) return undefined as ResponseOf<R>
  return (await response.json()) as ResponseOf<R>
}

/** Returns the raw response, for callers that need its stream, its bytes or its headers. */
export async function fetchResponse<R extends Route = never>(
  address: Address<R>,
  { params, query, body }: Input = {},
  { signal }: CallOptions = {},
): Promise<Response> {
  const { method, path } = splitAddress(address)
  const response = await fetch(urlOf<Route>(path, params, query), {
    method,
    credentials: 'include',
    signal,
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new ApiError(response.status, (await response.text()) || response.statusText)
  return response
}

export function splitAddress(address: Address<Route>) {
  const [method, path] = address.split(' ') as [Route['method'], Route['path']]
  return { method, path }
}
