import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import type { KeyedLimit } from '#shared/concurrency.ts'
import { raceAbort } from '#shared/concurrency.ts'
import type { AddressRules } from './web-address.ts'
import { timedOut, tooManyRedirects, toWebError, unreachable } from './web-errors.ts'
import type { WebLimits } from './web-limits.ts'

export type Answer = {
  url: URL
  status: number
  header(name: string): string
  body: Readable
  /** Ends the request with this error at any point. */
  abort(error: Error): void
}

type VisitOptions = { headers: Record<string, string>; timeMs: number; signal?: AbortSignal; foundOn?: string }

type Visit = <T>(address: string, options: VisitOptions, read: (answer: Answer) => Promise<T>) => Promise<T>

type Step<T> = { redirect: URL } | { redirect?: undefined; result: T }

type Parts = {
  openDispatcher: (isInside: boolean) => Promise<Dispatcher>
  rules: AddressRules
  slots: KeyedLimit
  limits: WebLimits
}

const redirectStatuses = new Set([301, 302, 303, 307, 308])

/** GETs an address, follows redirects by hand with every check repeated, and hands the final answer to `read`. */
export function createVisit({ openDispatcher, rules, slots, limits }: Parts): Visit {
  return async <T>(address: string, options: VisitOptions, read: (answer: Answer) => Promise<T>) => {
    const { headers, timeMs, signal, foundOn } = options
    let opener = foundOn === undefined ? undefined : new URL(foundOn)
    let url = rules.check(address, opener)
    let remainingMs = timeMs
    for (let hop = 0; hop <= limits.redirects; hop++) {
      const step = await slots.run(url.hostname, signal, () => takeStep(url))
      if (!step.redirect) return step.result
      opener = url
      url = step.redirect
    }
    throw tooManyRedirects()

    async function takeStep(from: URL): Promise<Step<T>> {
      const startedAt = performance.now()
      const ending = new AbortController()
      const timer = setTimeout(() => ending.abort(timedOut()), remainingMs)
      const anyEnd = signal ? AbortSignal.any([ending.signal, signal]) : ending.signal
      try {
        return await request(from, ending, anyEnd)
      } catch (error) {
        throw anyEnd.aborted ? anyEnd.reason : toWebError(error)
      } finally {
        clearTimeout(timer)
        // Closes bodies that are still open, such as that of a redirect or of a response that was not read to its end.
        ending.abort(new Error('The visit is over'))
        remainingMs -= performance.now() - startedAt
      }
    }

    function readLocation(location: string, from: URL): URL {
      try {
        return rules.check(Buffer.from(location, 'latin1').toString('utf8'), from)
      } catch (error) {
        // The user did not write this address, so they get the general error instead of "invalid URL".
        throw unreachable(error)
      }
    }

    async function request(from: URL, ending: AbortController, anyEnd: AbortSignal): Promise<Step<T>> {
      const dispatcher = await openDispatcher(rules.isInside(from, opener))
      // undici ignores the signal while it is still connecting.
      const response = await raceAbort(
        anyEnd,
        dispatcher.request({
          method: 'GET',
          origin: from.origin,
          path: from.pathname + from.search,
          headers,
          headersTimeout: limits.headerMs,
          // Downloads of files check their own progress, and pages have a deadline.
          bodyTimeout: 0,
          signal: anyEnd,
        }),
      )
      // Prevents an uncaught error when the request is aborted without a reader; a reader still receives the error.
      response.body.on('error', () => {})
      const header = (name: string) => [response.headers[name] ?? ''].flat().join(', ')
      const location = header('location')
      if (redirectStatuses.has(response.statusCode) && location) {
        return { redirect: readLocation(location, from) }
      }
      const abort = (error: Error) => ending.abort(error)
      return { result: await read({ url: from, status: response.statusCode, header, body: response.body, abort }) }
    }
  }
}
