import type { PublicWeb } from '#engines/web/fetch-public.ts'
import type { FoundImage, ImageSource, Place } from '#engines/web/find-images/found-image.ts'
import { findPageImages, type PageServices } from '#features/scraper/server/find-page-images.ts'
import { nameImages } from '#features/scraper/server/name-images.ts'
import { insertFinds } from '#features/scraper/server/store.ts'
import type { Db } from '#platform/server/db/tables.ts'
import type { WorkOnItem } from '#platform/server/runs/runs.ts'
import { limitConcurrency } from '#shared/concurrency.ts'
import { maxPicturesPerPage } from '../limits.ts'
import { createProbe, type Probed } from './probe-picture.ts'
import { type PageOutput, pageOf, type StoredPicture } from './store.ts'

export type AuditServices = PageServices & { db: Db; web: PublicWeb }

const probedAtOnce = 6
/** For all pictures of a page; those that were not reached stay without a size. */
const probeWithinMs = 90_000
/** More would only enlarge the row. */
const keptAlternatives = 3

/** One function for a whole job, so that its pages share what is known about their pictures. */
export function auditPages(services: AuditServices, ownerId: number, signal: AbortSignal): WorkOnItem {
  const probe = createProbe(services.web)
  return async (item, mark) => {
    const page = await services.web.fetchPage(pageOf(item).url, { signal })
    const found = await findPageImages(services, page, { signal, isMeasured: true })
    const shown = found.images.filter(
      ({ url, places }) => places.length > 0 && !url.startsWith('data:') && services.web.mayRequest(url, page.url),
    )
    const images = shown.slice(0, maxPicturesPerPage)
    const names = await nameImages(images, { title: found.title })
    const inTurn = limitConcurrency(probedAtOnce)
    const within = AbortSignal.any([signal, AbortSignal.timeout(probeWithinMs)])
    const probed = await Promise.all(
      images.map(({ places }) => inTurn(() => probe(places[0]!.url, { foundOn: page.url, signal: within }))),
    )
    signal.throwIfAborted()
    const pictures = images.map((image, index) => describePicture(image, names[index]!, probed[index]!))
    const output: PageOutput = {
      pageUrl: page.url,
      title: found.title,
      hint: shown.length > images.length ? tooManyPictures(shown.length) : (found.hint ?? null),
      pictures: pictures.filter(({ width, height }) => Math.max(width ?? Infinity, height ?? Infinity) > 2),
    }
    // The preview of a picture is only fetched for a user to whom it was shown.
    await insertFinds(services.db, ownerId, [...new Set(pictures.map(({ url }) => url))])
    await services.db.transaction().execute((transaction) => mark(transaction, { output: JSON.stringify(output) }))
  }
}

const tooManyPictures = (count: number) =>
  `This page shows ${count.toLocaleString('en')} pictures; the first ${maxPicturesPerPage} were checked.`

const isImage = (source: ImageSource) => source === 'img' || source === 'picture'

/** Undefined unless it is known for every place. */
function largestWidth(places: Place[]): number | undefined {
  const widths = places.map(({ shownWidth }) => shownWidth ?? Number.NaN)
  return widths.length > 0 ? Math.max(...widths) || undefined : undefined
}

function describePicture(image: FoundImage, name: string, probed: Probed): StoredPicture {
  const place = image.places[0]!
  const { url, alt, shownWidth, hasDimensions, isLazy, order, top } = place
  return {
    url,
    originalUrl: image.url,
    alternatives: [...new Set([url, ...image.alternatives])]
      .filter((other) => other !== image.url)
      .slice(0, keptAlternatives),
    name,
    context: image.context ?? '',
    fileName: image.fileName,
    alt: alt === undefined ? null : alt.trim().slice(0, 1000),
    isBackground: !isImage(place.source),
    // Shown in several sizes, it has to suit the largest.
    shownWidth: largestWidth(image.places.filter(({ source }) => isImage(source))) ?? shownWidth ?? null,
    hasDimensions,
    isLazy,
    order,
    top: top ?? null,
    ...probed,
  }
}
