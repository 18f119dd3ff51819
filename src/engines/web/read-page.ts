import { decodeHtml } from './decode-html.ts'
import { collectBytes } from './read-part.ts'
import type { Answer } from './visit.ts'
import { watchProgress } from './watch-progress.ts'
import { badStatus, notHtml, timedOut, tooMuch } from './web-errors.ts'
import type { WebLimits } from './web-limits.ts'

/** `url` is the final one, after redirects. */
export type FetchedPage = { url: string; html: string }

type PageLimits = Pick<WebLimits, 'pageBytes' | 'stallMs' | 'stallBytes'>

export async function readPage(answer: Answer, limits: PageLimits): Promise<FetchedPage> {
  const { pageBytes } = limits
  if (answer.status < 200 || answer.status > 299) throw badStatus(answer.status)
  const contentType = answer.header('content-type')
  if (contentType && !isHtmlType(contentType)) throw notHtml()
  if (Number(answer.header('content-length')) > pageBytes) throw tooMuch('page', pageBytes)

  using progress = watchProgress(limits, () => answer.abort(timedOut()))
  const bytes = await collectBytes(answer, pageBytes, progress.count)
  if (!contentType && !looksLikeMarkup(bytes)) throw notHtml()
  return { url: answer.url.href, html: decodeHtml(bytes, contentType) }
}

function isHtmlType(contentType: string): boolean {
  return /^\s*(text\/html|application\/xhtml\+xml)\s*(;|,|$)/i.test(contentType)
}

function looksLikeMarkup(bytes: Buffer): boolean {
  return /^[\s\u00ef\u00bb\u00bf]*</.test(bytes.subarray(0, 512).toString('latin1'))
}
