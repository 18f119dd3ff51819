import type { Kysely } from 'kysely'
import type { PublicWeb } from '#engines/web/fetch-public.ts'
import type { FoundImage } from '#engines/web/find-images/found-image.ts'
import { invalid } from '#platform/errors.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import { consumeRateLimits } from '#platform/server/rate-limits.ts'
import { limitConcurrencyPerKey } from '#shared/concurrency.ts'
import { noPageUrl, notOnWeb, type ScrapePreview, scraperApi } from '../contract.ts'
import { toWebAddress } from '../web-address.ts'
import type { PixelSize } from './image-size.ts'
import { nameImages, type SuggestName } from './name-images.ts'
import { probeImages } from './probe-images.ts'
import { type SightServices, seePage } from './see-page.ts'
import { findKnownSources, insertFinds, sourceAddress } from './store.ts'

export type PreviewServices = SightServices & {
  db: Kysely<Tables>
  web: PublicWeb
  /** Who names a person's finds better than rules; undefined when nobody does. */
  suggestNameFor(ownerId: number): SuggestName | undefined
}

/** Nobody looks at more; a program that does is slowed down. */
const previewLimit = (ownerId: number) => ({ name: `scrape-preview:${ownerId}`, max: 120, windowMs: 10 * 60_000 })
/** More would only make the answer, and what the client sends back, larger. */
const shownAlternatives = 3
/** In pixels: what is no larger was made to be asked for, not to be seen. */
const maxPointSide = 2

/** For each person: whoever has more pages open waits for themselves. */
const readAtOnce = 4

/** Every picture of a page, named, measured, and marked when the library has it already. */
export function createPreviews(services: PreviewServices) {
  const slots = limitConcurrencyPerKey(readAtOnce)

  return async function previewPage(ownerId: number, wish: { url: string; signal?: AbortSignal }) {
    const address = requireAddress(wish.url)
    await consumeRateLimits(services.db, [previewLimit(ownerId)])
    return slots.run(ownerId, wish.signal, () => readPage(services, ownerId, { address, signal: wish.signal }))
  }
}

type Wish = { address: string; signal?: AbortSignal }

async function readPage(services: PreviewServices, ownerId: number, { address, signal }: Wish): Promise<ScrapePreview> {
  const { db, web, suggestNameFor } = services
  const page = await web.fetchPage(address, { signal })
  const { title, images, hint } = await seePage(services, page, signal)
  const addresses = images.map(({ url }) => url)
  const sources = addresses.map((url) => sourceAddress(url, page.url))
  const [names, probed, known] = await Promise.all([
    nameImages(images, { title, suggestName: suggestNameFor(ownerId), signal }),
    probeImages(web, addresses, signal),
    findKnownSources(db, ownerId, sources),
  ])
  await insertFinds(
    db,
    ownerId,
    addresses.filter((url) => !url.startsWith('data:')),
  )
  const offered = images.flatMap((image, index) => {
    const measured = probed[index]
    if (isPoint(measured)) return []
    const [intelligentName, isInLibrary] = [names[index]!, known.has(sources[index]!)]
    return { ...describe(image), ...measured, id: `image-${index + 1}`, intelligentName, isInLibrary }
  })
  return { pageUrl: page.url, pageTitle: title, totalFound: offered.length, images: offered, hint }
}

/** A counter's picture that the page said nothing of, by its address or its size: only its bytes tell. */
function isPoint({ width, height }: Partial<PixelSize> = {}) {
  return Math.max(width ?? Infinity, height ?? Infinity) <= maxPointSide
}

function requireAddress(text: string): string {
  if (text.trim() === '') throw invalid(noPageUrl, { field: 'url' })
  if (!toWebAddress(text)) throw invalid(notOnWeb, { field: 'url' })
  return text.trim()
}

function describe({ url, alternatives, alt, context, width, height }: FoundImage) {
  return {
    originalUrl: url,
    alternatives: alternatives.slice(0, shownAlternatives),
    alt,
    context,
    width,
    height,
    previewUrl: url.startsWith('data:') ? url : `${scraperApi.image.path}?url=${encodeURIComponent(url)}`,
  }
}
