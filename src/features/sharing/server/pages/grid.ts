import { formatDuration } from '#shared/duration.ts'
import type { PublicMedia, SlideData } from '../../contract.ts'
import { html } from './html.ts'
import { loneTileWidth } from './page-style.ts'
import { gridSrcset, largeSrcset, renditionOf } from './responsive.ts'

/** Fetched with the page itself: about what the first screen shows. */
const eagerItems = 8
const gridSizes =
  '(min-width: 1600px) 16vw, (min-width: 1280px) 20vw, (min-width: 960px) 25vw, (min-width: 640px) 33vw, 50vw'
/** How wide one, two or three tiles are, as public-grid.css lays them out; four are hardly wider than many. */
const sizesOfFew: Record<number, string> = {
  1: `min(100vw, ${loneTileWidth})`,
  2: 'min(50vw, 36rem)',
  3: '(min-width: 640px) min(33vw, 30rem), 50vw',
}

type GridOptions = { first: number; total: number; allowsDownload: boolean; linkTo?: string }

/** Every tile is a link to its picture or film, so that the page works before, and without, any script. */
export function grid(media: PublicMedia[], options: GridOptions) {
  return html`<ul class="pub-grid" data-first="${options.first}" data-total="${options.total}">${media.map((item, index) => tile(item, options.first + index, options))}</ul>`
}

function tile(media: PublicMedia, index: number, { total, allowsDownload, linkTo }: GridOptions) {
  const address = linkTo ?? media.playbackUrl ?? largeAddress(media)
  return html`<li class="pub-item pub-c${index}"><a href="${address}"${
    linkTo ? html` target="_blank" rel="noopener"` : html` data-media="${slideData(media, allowsDownload)}"`
  }>${tilePicture(media, index, sizesOfFew[total] ?? gridSizes)}${
    media.type === 'video' &&
    html`<span class="pub-play">${media.duration ? formatDuration(media.duration) : 'Video'}</span>`
  }</a></li>`
}

function tilePicture(media: PublicMedia, index: number, sizes: string) {
  const isEager = index < eagerItems
  const srcset = gridSrcset(media)
  return html`<img src="${media.thumbnailUrl}"${srcset && html` srcset="${srcset}" sizes="${sizes}"`} alt="${
    media.alt
  }" width="${media.width ?? 400}" height="${media.height ?? 400}"${
    isEager ? index < 2 && html` fetchpriority="high"` : html` loading="lazy"`
  } decoding="async">`
}

export const largeAddress = (media: PublicMedia) =>
  media.type === 'video' || media.isAnimated ? media.originalUrl : renditionOf(media, 1920, 'webp')

function slideData(media: PublicMedia, allowsDownload: boolean) {
  const data: SlideData = {
    type: media.type,
    name: media.filename,
    src: media.type === 'video' ? media.playbackUrl : largeAddress(media),
    avif: media.isAnimated ? undefined : largeSrcset(media, 'avif'),
    webp: media.isAnimated ? undefined : largeSrcset(media, 'webp'),
    ...(media.type === 'image' && { width: media.width ?? undefined, height: media.height ?? undefined }),
    caption: media.userDescription || media.aiDescription,
    ...(allowsDownload && { download: `${media.originalUrl}?download=1` }),
  }
  return JSON.stringify(data)
}
