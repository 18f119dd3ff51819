import { setTimeout as wait } from 'node:timers/promises'
import type { Request, Route } from 'playwright-core'
import { limitConcurrency } from '#shared/concurrency.ts'
import type { PublicWeb } from '../fetch-public.ts'
import { tooMuch } from '../web-errors.ts'
import type { RenderLimits } from './render-limits.ts'
import type { DrawnPage } from './render-page.ts'

/** What a page needs in order to draw itself; frames, fonts, films, beacons and sockets it does without. */
const fetchedKinds = new Set(['script', 'stylesheet', 'xhr', 'fetch'])

/** One transparent pixel: scripts that wait for a picture go on, and nobody's picture is fetched for it. */
const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

/** Whatever the page may do by itself, it neither opens frames and workers, nor speaks anything but HTTP. */
const pagePolicy =
  "connect-src http: https:; worker-src 'none'; frame-src 'none'; object-src 'none'; form-action 'none'; webrtc 'block'"

export type RequestAnswers = {
  answer(route: Route): Promise<void>
  wanted: Set<string>
  /** Resolves when nothing was under way for a while, or when the time is over. */
  quiet(withinMs: number): Promise<void>
}

/** Answers everything that the browser asks for: the page from memory, its parts through the guard, the rest not at all. */
export function createRequestAnswers(web: PublicWeb, page: DrawnPage, limits: RenderLimits): RequestAnswers {
  const wanted = new Set<string>()
  let isPageGiven = false
  let requests = 0
  let bytesLeft = limits.bytes
  let underWay = 0
  let lastMove = performance.now()

  const inTurn = limitConcurrency(limits.atOnce)

  async function fetchPart(request: Request, route: Route) {
    if (request.method() !== 'GET' || ++requests > limits.requests) return route.abort()
    const part = await inTurn(async () => {
      const maxBytes = Math.min(bytesLeft, limits.partBytes)
      // Counted before it comes: what breaks off, or is too much, has been fetched all the same.
      bytesLeft -= maxBytes
      if (maxBytes <= 0) throw tooMuch('page', limits.bytes)
      const fetched = await web.fetchPart(request.url(), { maxBytes })
      bytesLeft += maxBytes - fetched.bytes.length
      return fetched
    })
    // Redirects were followed behind the guard, each with every check, so the browser never follows one.
    await route.fulfill({ status: part.status, contentType: part.contentType, body: part.bytes })
  }

  async function choose(route: Route) {
    const request = route.request()
    const kind = request.resourceType()
    if (kind === 'image') {
      if (wanted.size < limits.wanted) wanted.add(request.url())
      return route.fulfill({ contentType: 'image/gif', body: pixel })
    }
    if (fetchedKinds.has(kind)) return fetchPart(request, route)
    if (kind !== 'document' || isPageGiven || request.url() !== page.url) return route.abort('aborted')
    isPageGiven = true
    const headers = { 'content-security-policy': pagePolicy }
    return route.fulfill({ headers, contentType: 'text/html; charset=utf-8', body: page.html })
  }

  return {
    wanted,
    async answer(route) {
      underWay++
      try {
        await choose(route)
      } catch {
        // Refused by the guard, too much, too slow, or the page is gone already: the page hears of a failed request.
        await route.abort().catch(() => {})
      } finally {
        underWay--
        lastMove = performance.now()
      }
    },
    async quiet(withinMs) {
      const end = performance.now() + withinMs
      lastMove = performance.now()
      while (performance.now() < end) {
        if (underWay === 0 && performance.now() - lastMove >= limits.quietMs) return
        await wait(50)
      }
    },
  }
}
