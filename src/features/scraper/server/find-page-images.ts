import type { FastifyBaseLogger } from 'fastify'
import type { FoundImage } from '#engines/web/find-images/found-image.ts'
import { hasPictureEnding } from '#engines/web/find-images/image-address.ts'
import type { ImageFinder } from '#engines/web/find-images/image-finder.ts'
import type { FetchedPage } from '#engines/web/read-body.ts'
import type { PageRenderer, RenderedPage } from '#engines/web/render/render-page.ts'
import { AppError } from '#platform/errors.ts'
import { escapeHtml } from '#shared/escape.ts'

export type PageServices = {
  imageFinder: ImageFinder
  /** Runs the scripts of pages, when the setting allows it. */
  renderer: PageRenderer | undefined
  log: FastifyBaseLogger
}

/** `hint` says why images may be missing. */
type PageImages = { title: string; images: FoundImage[]; hint?: string }

const hintOf = (reason: string) =>
  `This page needs JavaScript, ${reason} You can add image URLs directly under Upload from URLs.`
const notRun = hintOf('which was not run, so some images may be missing.')
const failed = (sentence: string) => hintOf(`so some images may be missing. ${sentence}`)

/** `isMeasured`: every page is rendered where possible, because only that tells how large it shows its images. */
type Finding = { signal?: AbortSignal; isMeasured?: boolean }

/** The images in a page's HTML, plus those that its scripts add when it renders itself. */
export async function findPageImages(
  services: PageServices,
  page: FetchedPage,
  { signal, isMeasured = false }: Finding = {},
): Promise<PageImages> {
  const { imageFinder, renderer, log } = services
  const sent = await imageFinder.findImages(page.html, page.url, { signal })
  if (!sent.isProbablyScripted && !(isMeasured && renderer)) return sent
  if (!renderer) return { ...sent, hint: notRun }
  try {
    const drawn = await renderer.render(page, { signal })
    const { title, images } = await imageFinder.findImages(withExtraImages(drawn), page.url, { signal })
    return { title, images: [...images, ...missingIn(images, sent.images)] }
  } catch (error) {
    if (signal?.aborted || !(error instanceof AppError)) throw error
    log.warn({ err: error, cause: error.cause, pageUrl: page.url }, 'page was not rendered')
    return { ...sent, hint: sent.isProbablyScripted ? failed(error.message) : undefined }
  }
}

/** Everything that was requested counts as a background, and is put first, where no heading above would name it. */
function withExtraImages({ html, wanted }: RenderedPage): string {
  const pictures = wanted.filter(hasPictureEnding).map((address) => {
    const style = `background-image: url("${address.replace(/["\\]/g, '\\$&')}")`
    return `<i style="${escapeHtml(style)}"></i>`
  })
  return pictures.join('') + html
}

function missingIn(drawn: FoundImage[], sent: FoundImage[]): FoundImage[] {
  const known = new Set(drawn.flatMap(({ url, alternatives }) => [url, ...alternatives]))
  return sent.filter(({ url }) => !known.has(url))
}
