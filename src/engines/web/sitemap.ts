import { AppError, invalid } from '#platform/errors.ts'
import { unescapeXml } from '#shared/escape.ts'
import type { PublicWeb } from './fetch-public.ts'
import { badStatus } from './web-errors.ts'

/** The protocol allows 50 MB; the first addresses of a site are in far less. */
const maxBytes = 5 * 1024 * 1024
/** Sitemaps of an index that are read, one after another, until there are enough addresses. */
const maxNested = 10
const allowedMs = 60_000

const notSitemap = () =>
  new AppError('not-a-sitemap', 415, 'This URL is not an XML sitemap. Enter the addresses instead.')
const compressed = () =>
  new AppError('not-a-sitemap', 415, 'Compressed sitemaps (.xml.gz) are not supported. Enter the addresses instead.')
const tooComplex = () =>
  new AppError('not-a-sitemap', 415, 'This sitemap declares a document type or entities, so it was not read.')

type Options = { limit: number; signal?: AbortSignal }
type SitemapPages = { addresses: string[]; isTruncated: boolean }

/** The pages that a sitemap names, up to `limit`. The sitemaps of an index are read too, but not an index in an index. */
export async function readSitemap(
  web: Pick<PublicWeb, 'fetchPart' | 'mayRequest'>,
  address: string,
  { limit, signal: outer }: Options,
): Promise<SitemapPages> {
  const deadline = AbortSignal.timeout(allowedMs)
  const signal = outer ? AbortSignal.any([deadline, outer]) : deadline
  const fetchNamed = async (url: string, foundOn?: string) => {
    const { status, bytes } = await web.fetchPart(url, { maxBytes, signal, foundOn })
    if (status < 200 || status > 299) throw badStatus(status)
    return parseSitemap(bytes, limit + 1)
  }
  const top = await fetchNamed(address)
  const found = new Set(top.pages)
  let failure: unknown
  for (const nested of top.sitemaps.filter((url) => web.mayRequest(url, address)).slice(0, maxNested)) {
    if (found.size > limit || signal.aborted) break
    try {
      for (const page of (await fetchNamed(nested, address)).pages) found.add(page)
    } catch (error) {
      // The other sitemaps of the index may be fine.
      failure ??= error
    }
  }
  outer?.throwIfAborted()
  if (found.size === 0) throw failure ?? invalid('This sitemap names no pages.')
  return { addresses: [...found].slice(0, limit), isTruncated: found.size > limit }
}

type Sitemap = { pages: string[]; sitemaps: string[] }

/**
 * Reads tags from left to right and stops at `limit` addresses, so its time is linear. A document type is refused: it is
 * where XML declares entities, and no sitemap needs one.
 */
export function parseSitemap(bytes: Buffer, limit: number): Sitemap {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) throw compressed()
  const xml = new TextDecoder().decode(bytes)
  const sitemap: Sitemap = { pages: [], sitemaps: [] }
  let parent: string | undefined
  let root: string | undefined
  for (let start = xml.indexOf('<'); start >= 0; start = xml.indexOf('<', start + 1)) {
    const closing = xml.startsWith('<!--', start) ? '-->' : xml.startsWith('<![CDATA[', start) ? ']]>' : undefined
    if (closing) {
      start = xml.indexOf(closing, start)
      if (start < 0) break
      continue
    }
    if (xml.startsWith('<!', start)) throw tooComplex()
    const name = /^<([\w:-]{1,40})/.exec(xml.slice(start, start + 42))?.[1]
    if (!name) continue
    root ??= name
    if (root !== 'urlset' && root !== 'sitemapindex') throw notSitemap()
    if (name === 'url' || name === 'sitemap') parent = name
    if (name !== 'loc' || !parent) continue
    const address = textOf(xml, start)
    if (address) sitemap[parent === 'url' ? 'pages' : 'sitemaps'].push(address)
    parent = undefined
    if (sitemap.pages.length >= limit || sitemap.sitemaps.length >= limit) break
  }
  if (!root) throw notSitemap()
  return sitemap
}

const maxAddressLength = 2100

/** The http(s) address in an element. */
function textOf(xml: string, start: number): string | undefined {
  const [, text] =
    /^<loc\s*>\s*(?:<!\[CDATA\[)?([^<\]]*)(?:<|\]\]>)/.exec(xml.slice(start, start + maxAddressLength)) ?? []
  const address = text && unescapeXml(text.trim())
  const url = address ? URL.parse(address) : null
  return url && /^https?:$/.test(url.protocol) && !url.username && !url.password ? url.href : undefined
}
