import type { FastifyBaseLogger } from 'fastify'
import type { Kysely } from 'kysely'
import type { PublicWeb } from '#engines/web/fetch-public.ts'
import type { FoundImage } from '#engines/web/find-images/found-image.ts'
import type { ImageFinder } from '#engines/web/find-images/image-finder.ts'
import { invalid } from '#platform/errors.ts'
import { countAttempt, refuseWhenExhausted } from '#platform/server/attempts.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import { type ScrapePreview, scraperApi } from '../contract.ts'
import { toWebAddress } from '../web-address.ts'
import { sourceAddress } from './address-key.ts'
import { findKnownSources, insertFinds } from './finds-store.ts'
import { nameImages, type SuggestName } from './name-images.ts'
import { probeImages } from './probe-images.ts'

export type PreviewServices = {
  db: Kysely<Tables>
  web: PublicWeb
  imageFinder: ImageFinder
  log: FastifyBaseLogger
  suggestName?: SuggestName
}

/** Nobody looks at more; a program that does is slowed down. */
const previewLimit = (ownerId: number) => ({ name: `scrape-preview:${ownerId}`, max: 120, windowMs: 10 * 60_000 })
/** More would only make the answer, and what the client sends back, larger. */
const shownAlternatives = 3

const scriptedHint =
  'This page draws itself with scripts, which were not run, so some of its images may be missing. Upload from URLs takes the addresses of images directly.'

/** Every picture of a page, named, measured, and marked when the library has it already. */
export async function previewPage(
  services: PreviewServices,
  ownerId: number,
  wish: { url: string; signal?: AbortSignal },
): Promise<ScrapePreview> {
  const { db, web, imageFinder, suggestName } = services
  const { signal } = wish
  const limits = [previewLimit(ownerId)]
  const address = requireAddress(wish.url)
  await refuseWhenExhausted(db, limits)
  await countAttempt(db, limits)

  const page = await web.fetchPage(address, { signal })
  const { title, images, isProbablyScripted } = await imageFinder.findImages(page.html, page.url, { signal })
  const addresses = images.map(({ url }) => url)
  const sources = addresses.map((url) => sourceAddress(url, page.url))
  const [names, probed, known] = await Promise.all([
    nameImages(images, { title, suggestName, signal }),
    probeImages(web, addresses, signal),
    findKnownSources(db, ownerId, sources),
  ])
  await insertFinds(
    db,
    ownerId,
    addresses.filter((url) => !url.startsWith('data:')),
  )
  return {
    pageUrl: page.url,
    pageTitle: title,
    totalFound: images.length,
    images: images.map((image, index) => ({
      ...describe(image),
      ...probed[index],
      id: `image-${index + 1}`,
      intelligentName: names[index]!,
      isInLibrary: known.has(sources[index]!),
    })),
    ...(isProbablyScripted && { hint: scriptedHint }),
  }
}

function requireAddress(text: string): string {
  if (text.trim() === '') throw invalid('Please enter a valid webpage URL', { field: 'url' })
  if (!toWebAddress(text)) throw invalid('Please enter a valid HTTP or HTTPS URL', { field: 'url' })
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
