import type { SlideData } from '../contract.ts'
import { element } from './elements.ts'

export function slideDataOf(tile: HTMLAnchorElement): SlideData {
  return JSON.parse(tile.dataset.media!)
}

export function altOf(tile: HTMLAnchorElement, data: SlideData): string {
  return tile.querySelector('img')?.alt ?? data.name
}

/** The image in the size that the screen needs; the tile's image is shown until it loads. */
export function makeSlide(tile: HTMLAnchorElement, data: SlideData): HTMLDivElement {
  const thumbnail = tile.querySelector('img')
  const alt = altOf(tile, data)
  const slide = element('div', { class: 'pub-slide' })
  if (data.type === 'video') {
    slide.append(data.src ? film(data.src, thumbnail?.src ?? '', alt) : 'This video is still being prepared.')
    return slide
  }
  const known = thumbnail?.currentSrc || thumbnail?.src
  if (known) slide.style.backgroundImage = `url(${JSON.stringify(known)})`
  const shown = picture(data, alt)
  // After a failure the tile's image stays visible, without the browser's broken-image icon over it.
  shown.lastElementChild!.addEventListener('error', () => slide.replaceChildren(fault("Couldn't load the image.")))
  slide.append(shown)
  // As large as the screen, but never larger than the image.
  if (data.width && data.height) {
    slide.style.maxWidth = `${data.width}px`
    slide.style.maxHeight = `${data.height}px`
  }
  return slide
}

const fault = (words: string) => element('p', { class: 'pub-fault' }, words)

/** Whether the image failed to load, so that a later attempt may succeed. */
export const isNotLoaded = (slide: Element) => slide.querySelector('.pub-fault') !== null

function film(src: string, poster: string, alt: string) {
  const video = element('video', { src, poster, controls: '', autoplay: '', playsinline: '', 'aria-label': alt })
  video.addEventListener('error', () => video.replaceWith(fault("Couldn't play this video.")))
  return video
}

function picture({ src, avif, webp }: SlideData, alt: string) {
  const image = element('img', { alt, src: src ?? '', draggable: 'false', fetchpriority: 'high' })
  const sources = [
    ['image/avif', avif],
    ['image/webp', webp],
  ] as const
  return element(
    'picture',
    {},
    ...sources.flatMap(([type, srcset]) => (srcset ? [element('source', { type, srcset, sizes: '100vw' })] : [])),
    image,
  )
}

/**
 * Preloads the next slide's image. It is inserted into the page, hidden, because Chromium never frees an image with a
 * srcset that was in no page.
 */
export function prepareSlide(tile: HTMLAnchorElement | undefined): HTMLElement[] {
  const data = tile && slideDataOf(tile)
  return data?.type === 'image' ? [picture(data, '')] : []
}
