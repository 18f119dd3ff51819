import { describePicture } from './describe-picture.ts'
import type { FoundImage } from './found-image.ts'
import { groupSightings } from './group-sightings.ts'
import { type PageScan, scanPage } from './scan-page.ts'

export type PageImages = {
  title: string
  images: FoundImage[]
  /** Few pictures were found because the page renders itself with scripts, which were not run. */
  isProbablyScripted: boolean
}

/** Every picture of a page once, with its largest version first and its texts from the page. */
export function findImages(html: string, pageUrl: string): PageImages {
  const page = new URL(pageUrl)
  const scan = scanPage(html)
  const images = groupSightings(scan.sightings, baseOf(scan, page)).map(describePicture)
  return { title: scan.title || page.hostname, images, isProbablyScripted: isProbablyScripted(scan, images) }
}

function baseOf({ baseHref }: PageScan, page: URL): URL {
  const base = baseHref ? URL.parse(baseHref.trim(), page.href) : null
  return base && /^https?:$/.test(base.protocol) ? base : page
}

function isProbablyScripted({ textLength, scripts, hasScriptRoot }: PageScan, images: FoundImage[]): boolean {
  const shown = images.filter(({ source }) => source !== 'meta' && source !== 'json-ld' && source !== 'preload')
  if (scripts === 0 || shown.length > 2) return false
  return hasScriptRoot ? textLength < 1500 : textLength < 200
}
