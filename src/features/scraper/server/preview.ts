import { readFile, rm } from 'node:fs/promises'
import type { Kysely } from 'kysely'
import type { ImageEngine } from '#engines/images/image-engine.ts'
import type { Storage } from '#engines/storage/storage.ts'
import type { PublicWeb } from '#engines/web/fetch-public.ts'
import type { FoundImage } from '#engines/web/find-images/found-image.ts'
import { readDataUri } from '#engines/web/find-images/image-address.ts'
import { invalid, notFound } from '#platform/errors.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import { consumeRateLimits } from '#platform/server/rate-limits.ts'
import { limitConcurrency, limitConcurrencyPerKey } from '#shared/concurrency.ts'
import { noPageUrl, notOnWeb, type ScrapePreview, scraperApi } from '../contract.ts'
import { toWebAddress } from '../web-address.ts'
import { type PixelSize, readImageSize } from './image-size.ts'
import { nameImages, type SuggestName } from './name-images.ts'
import { type SightServices, seePage } from './see-page.ts'
import { findKnownSources, hasFound, insertFinds, sourceAddress } from './store.ts'

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

type Probed = Partial<PixelSize> & { bytes?: number }

/** The pictures that a person sees first; the others keep what the page says of them. */
const probedAtMost = 48
const probedAtOnce = 12
/** A frame header stands behind EXIF and a small preview, so most JPEGs tell within so much. */
const headBytes = 64 * 1024
const probeWithinMs = 4000

/** True size and weight of the first pictures, as far as their servers tell in time. Never fails. */
async function probeImages(web: PublicWeb, addresses: string[], outer?: AbortSignal): Promise<Probed[]> {
  const deadline = AbortSignal.timeout(probeWithinMs)
  const signal = outer ? AbortSignal.any([deadline, outer]) : deadline
  const inTurn = limitConcurrency(probedAtOnce)
  return Promise.all(addresses.slice(0, probedAtMost).map((address) => inTurn(() => probe(web, address, signal))))
}

async function probe(web: PublicWeb, address: string, signal: AbortSignal): Promise<Probed> {
  try {
    const embedded = readDataUri(address)
    if (embedded) return { ...readImageSize(embedded), bytes: embedded.length }
    if (signal.aborted) return {}
    const { bytes, size } = await web.peek(address, { bytes: headBytes, signal })
    const pixels = readImageSize(bytes)
    // An error page has a weight too, but not the picture's.
    return pixels ? { ...pixels, bytes: size } : {}
  } catch {
    // Whether it can be had shows when it is uploaded.
    return {}
  }
}

export type PictureServices = { db: Kysely<Tables>; web: PublicWeb; images: ImageEngine; storage: Storage }

const maxPictureBytes = 30 * 1024 * 1024
const pictureTimeMs = 20_000
/** For each person: a page whose pictures come from a slow host keeps nobody else waiting. */
const picturesAtOnce = 4

/**
 * Small pictures of what a preview found. They are decoded and drawn anew, so what reaches the browser is a WebP of
 * ours and nothing that a stranger wrote; and only what this person's own previews found is fetched at all.
 */
export function createPreviewPictures({ db, web, images, storage }: PictureServices) {
  const slots = limitConcurrencyPerKey(picturesAtOnce)

  return async function loadPicture(ownerId: number, address: string, signal: AbortSignal): Promise<Buffer> {
    if (!(await hasFound(db, ownerId, address))) throw notFound('Image')
    return slots.run(ownerId, signal, async () => {
      const path = storage.derived.temporaryPath()
      const thumbnailPath = storage.derived.temporaryPath('webp')
      try {
        await web.fetchFile(address, { destination: path, maxBytes: maxPictureBytes, timeMs: pictureTimeMs, signal })
        await images.process({ path, thumbnailPath })
        return await readFile(thumbnailPath)
      } finally {
        await Promise.all([rm(path, { force: true }), rm(thumbnailPath, { force: true })])
      }
    })
  }
}
