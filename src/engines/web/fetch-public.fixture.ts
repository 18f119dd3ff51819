import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { AppError } from '#platform/errors.ts'
import { createPublicWeb, type PublicWebOptions } from './fetch-public.ts'
import { openSite, type TestSite } from './test-site.ts'

export const html = { 'content-type': 'text/html; charset=utf-8' }

export function webFor(site: TestSite, limits: PublicWebOptions['limits'] = {}) {
  const web = createPublicWeb({ allowHosts: [site.pair], limits })
  return Object.assign(web, { [Symbol.asyncDispose]: () => web.close() })
}

export const hasCode = (code: string, message?: RegExp) => (error: unknown) => {
  assert.ok(error instanceof AppError, String(error))
  assert.equal(error.code, code)
  if (message) assert.match(error.message, message)
  return true
}

/** Fetches a page that must be refused with this code. */
export async function refusesPage(
  listener: RequestListener,
  code: string,
  limits?: PublicWebOptions['limits'],
  message?: RegExp,
) {
  await using site = await openSite(listener)
  await using web = webFor(site, limits)
  await assert.rejects(web.fetchPage(`${site.origin}/`), hasCode(code, message))
}
