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
import { findPageImages, type PageServices } from './find-page-images.ts'
import { type PixelSize, readImageSize } from './image-size.ts'
import { nameImages, type SuggestName } from './name-images.ts'
import { findKnownSources, hasFound, insertFinds, sourceAddress } from './store.ts'

export type PreviewServices = PageServices & {
  db: Kysely<Tables>
  web: PublicWeb
  /** A user's namer that improves on the rules; undefined when none is set up. */
  suggestNameFor(ownerId: number): SuggestName | undefined
}

/** No user looks at more pages; a program that does is slowed down. */
const previewLimit = (ownerId: number) => ({ name: `scrape-preview:${ownerId}`, max: 120, windowMs: 10 * 60_000 })
/** More would only enlarge the response, and what the client sends back. */
const shownAlternatives = 3
/** In pixels: a smaller image is a tracking pixel. */
const maxTrackingPixelSide = 2

/** Per user, so that one user's slow pages do not delay others. */
const readAtOnce = 4

/** Every image of a page, named, measured, and marked when the library already has it. */
export function createPreviews(services: PreviewServices) {
  const slots = limitConcurrencyPerKey(readAtOnce)

  return async function previewPage(ownerId: number, request: { url: string; signal?: AbortSignal }) {
    const address = requireAddress(request.url)
    await consumeRateLimits(services.db, [previewLimit(ownerId)])
    return slots.run(ownerId, request.signal, () => readPage(services, ownerId, { address, signal: request.signal }))
  }
}

type PageRequest = { address: string; signal?: AbortSignal }

async function readPage(
  services: PreviewServices,
  ownerId: number,
  { address, signal }: PageRequest,
): Promise<ScrapePreview> {
  const { db, web, suggestNameFor } = services
  const page = await web.fetchPage(address, { signal })
  const { title, hint, ...found } = await findPageImages(services, page, { signal })
  const images = found.images.filter(({ url }) => web.mayRequest(url, page.url))
  const addresses = images.map(({ url }) => url)
  const sources = addresses.map((url) => sourceAddress(url, page.url))
  const [names, probed, known] = await Promise.all([
    nameImages(images, { title, suggestName: suggestNameFor(ownerId), signal }),
    probeImages(web, addresses, { foundOn: page.url, signal }),
    findKnownSources(db, ownerId, sources),
  ])
  await insertFinds(
    db,
    ownerId,
    addresses.filter((url) => !url.startsWith('data:')),
  )
  const offered = images.flatMap((image, index) => {
    const measured = probed[index]
    if (isTrackingPixel(measured)) return []
    const [intelligentName, isInLibrary] = [names[index]!, known.has(sources[index]!)]
    return { ...describe(image), ...measured, id: `image-${index + 1}`, intelligentName, isInLibrary }
  })
  return { pageUrl: page.url, pageTitle: title, totalFound: offered.length, images: offered, hint }
}

/** A tracking pixel that neither its address nor the page revealed. */
function isTrackingPixel({ width, height }: Partial<PixelSize> = {}) {
  return Math.max(width ?? Infinity, height ?? Infinity) <= maxTrackingPixelSide
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
type Probing = { foundOn: string; signal?: AbortSignal }

/** Only the first images are probed; the others keep the page's own values. */
const probedAtMost = 48
const probedAtOnce = 12
/** The frame header follows EXIF and a small preview, so for most JPEGs this is enough. */
const headBytes = 64 * 1024
const probeWithinMs = 4000

/** Dimensions and file size of the first images, as far as their servers answer in time. Never fails. */
async function probeImages(
  web: PublicWeb,
  addresses: string[],
  { foundOn, signal: outer }: Probing,
): Promise<Probed[]> {
  const deadline = AbortSignal.timeout(probeWithinMs)
  const signal = outer ? AbortSignal.any([deadline, outer]) : deadline
  const inTurn = limitConcurrency(probedAtOnce)
  return Promise.all(
    addresses.slice(0, probedAtMost).map((address) => inTurn(() => probe(web, address, { foundOn, signal }))),
  )
}

async function probe(web: PublicWeb, address: string, { foundOn, signal }: Probing): Promise<Probed> {
  try {
    const embedded = readDataUri(address)
    if (embedded) return { ...readImageSize(embedded), bytes: embedded.length }
    if (signal?.aborted) return {}
    const { bytes, size } = await web.peek(address, { bytes: headBytes, foundOn, signal })
    const pixels = readImageSize(bytes)
    // An error page has a size too, but it is not the image's.
    return pixels ? { ...pixels, bytes: size } : {}
  } catch {
    // The upload will show whether the image can be fetched.
    return {}
  }
}

export type PictureServices = { db: Kysely<Tables>; web: PublicWeb; images: ImageEngine; storage: Storage }

const maxPictureBytes = 30 * 1024 * 1024
const pictureTimeMs = 20_000
/** Per user, so that a page with images from a slow host does not delay others. */
const picturesAtOnce = 4

/**
 * Small versions of previewed images. They are decoded and encoded again, so the browser receives a WebP made here and
 * no foreign bytes; and only images that the user's own previews found are fetched.
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
