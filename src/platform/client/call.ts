import type { Address, Answer, Route, Sent } from '#platform/contract.ts'

/** Any answer that is not OK. The message is "{status}: {text}"; status and parsed body are fields of their own. */
export class ApiError extends Error {
  readonly status: number
  readonly body: unknown

  constructor(status: number, text: string) {
    super(`${status}: ${text}`)
    this.name = 'ApiError'
    this.status = status
    this.body = parseOrKeep(text)
  }
}

function parseOrKeep(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not every answer in between (a proxy's error page) is JSON.
    return text
  }
}

const proxysLimit =
  'The proxy in front of Albumen rejected a request of this size. Ask its administrator to raise the limit.'

/** The sentence that the server wrote for a person, or the given one when there is none. */
export function messageOf(error: unknown, fallback: string): string {
  const body = error instanceof ApiError ? error.body : undefined
  if (typeof body !== 'object' || body === null || !('message' in body) || typeof body.message !== 'string')
    return isOfProxysLimit(error) ? proxysLimit : fallback
  // The field is named for programs ("tags.0: A tag …"); a whole sentence says by itself what it is about.
  return 'field' in body ? body.message.replace(/^\S+: (?=[A-Z])/, '') : body.message
}

/** Most proxies have one of a megabyte unless they are told otherwise, and say so by a page of their own. */
export function isOfProxysLimit(error: unknown): boolean {
  return error instanceof ApiError && error.status === 413 && typeof error.body === 'string'
}

/** Why something did not come: the server's sentence if it answered, else there was no way to it. */
export function whyMissing(error: unknown): string {
  return error instanceof ApiError ? messageOf(error, 'Please try again in a moment.') : 'Please check your connection.'
}

type Input = { params?: Record<string, unknown>; query?: Record<string, unknown>; body?: unknown }
type CallArguments<R extends Route> =
  unknown extends Sent<R> ? [input?: undefined, options?: CallOptions] : [input: Sent<R>, options?: CallOptions]
export type CallOptions = { signal?: AbortSignal }

/**
 * `call<typeof mediaApi.list>('GET /api/media', …)`: the contract is imported as a type alone, so its schemas, which only the
 * server needs, stay out of the browser. An address that the contract does not have fails to compile.
 */
export async function call<R extends Route = never>(
  address: Address<R>,
  ...[input, options]: CallArguments<R>
): Promise<Answer<R>> {
  const response = await fetchAnswer<R>(address, input as Input | undefined, options)
  if (response.status === 204) return undefined as Answer<R>
  return (await response.json()) as Answer<R>
}

/** The answer as it comes, for whoever wants its stream, its bytes or its headers. */
export async function fetchAnswer<R extends Route = never>(
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

export function urlOf<R extends Route = never>(
  pattern: R['path'],
  params?: Record<string, unknown>,
  query?: Record<string, unknown>,
) {
  const path = pattern.replace(/:(\w+)/g, (_match, name: string) => encodeURIComponent(String(params?.[name])))
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== '')
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
  return given.length > 0 ? `${path}?${search}` : path
}
