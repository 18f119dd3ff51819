import { linkPreviewSize } from '#features/media/limits.ts'
import { derivedNames } from '#features/media/server/media-addresses.ts'
import { itemsInWords } from '#shared/count.ts'
import { formatDuration } from '#shared/duration.ts'
import { splitExtension } from '#shared/filenames.ts'
import { fitPicture } from '#shared/fit-picture.ts'
import type { PublicCollection, PublicMedia, SlideData } from '../../contract.ts'
import { type ClientAssets, type Html, html, type LinkPreview, pageDocument } from './document.ts'
import { loneTileWidth, rowsOfFew } from './page-style.ts'
import { gridSrcset, largeSrcset, renditionOf } from './srcset.ts'
import { imageObject, structuredData } from './structured-data.ts'

/** Tiles per document; the next part follows by a link, or automatically near the end of the page. */
export const tilesPerPage = 120

export type CollectionView = {
  collection: PublicCollection
  media: PublicMedia[]
  cover?: PublicMedia
  /** The header image, if it is one of the owner's items. */
  header?: Pick<PublicMedia, 'width' | 'height' | 'focalPoint'>
  page: number
  /** The public origin; only link previews need it, all other URLs are relative. */
  origin: string
  path: string
}

type Surroundings = { assets: ClientAssets; style: Html }

export function collectionPage(view: CollectionView, { assets, style }: Surroundings) {
  const { collection } = view
  const { isIndexed = true, isWhiteLabel = false, logoUrl } = collection.customBranding
  return pageDocument({
    title: headingOf(collection),
    preview: linkPreview(view),
    themeColour: collection.customBranding.backgroundColor,
    head: html`${assets.styles}${style}${assets.scripts}${isIndexed && forSearchEngines(view)}`,
    body: html`<div class="pub-root" data-page="collection">${header(collection)}<main class="pub-main">${actions(view)}${content(view)}</main>
${footer(collection.customBranding)}</div>`,
    isIndexed,
    isWhiteLabel,
    icon: logoUrl,
  })
}

function footer({ footerLine, isWhiteLabel }: PublicCollection['customBranding']) {
  if (!footerLine && isWhiteLabel) return null
  return html`<footer class="pub-footer">${footerLine && html`<p class="pub-footer-line" dir="auto">${footerLine}</p>`}${
    !isWhiteLabel && 'Shared with Albumen'
  }</footer>`
}

/** The images of this page, and the list of all. */
function forSearchEngines({ collection, media, origin, path }: CollectionView) {
  const images = media.filter(({ type }) => type === 'image')
  const data = images.map((item) =>
    imageObject({
      media: item,
      name: titleOf(item),
      contentUrl: origin + largeAddress(item),
      thumbnailUrl: origin + item.thumbnailUrl,
      owner: collection.ownerName,
    }),
  )
  return html`<link rel="sitemap" type="application/xml" href="${path}/sitemap.xml">${data.length > 0 && structuredData(data)}`
}

/** For other websites: only the tiles, without scripts; each links to the full page. */
export function embeddedPage(view: CollectionView, { assets, style }: Surroundings) {
  const { collection } = view
  return pageDocument({
    title: headingOf(collection),
    head: html`${assets.styles}${style}`,
    body: html`<div class="pub-root pub-embedded" data-page="embed"><main class="pub-main">
<h1 class="pub-hidden">${headingOf(collection)}</h1>${content(view, view.path)}</main></div>`,
  })
}

/** For the owner's dialog, in a frame without scripts. */
export function previewPage(view: CollectionView, surroundings: Surroundings) {
  const scripts = html`<base target="_blank">`
  return collectionPage(view, { ...surroundings, assets: { ...surroundings.assets, scripts } })
}

const headingOf = ({ name, customBranding }: PublicCollection) => customBranding.title || name

function header(collection: PublicCollection) {
  const { customBranding, description, ownerName, mediaCount } = collection
  const { headerImage, logoUrl } = customBranding
  const subtitle = customBranding.subtitle || description
  return html`<header class="pub-header${headerImage && ' pub-has-image'}">
${headerImage && html`<img class="pub-header-image" src="${headerImage}" alt="" referrerpolicy="no-referrer" fetchpriority="high">`}
<div class="pub-header-words">
${logoUrl && html`<img class="pub-logo" src="${logoUrl}" alt="" referrerpolicy="no-referrer">`}
<h1 class="pub-title" dir="auto">${headingOf(collection)}</h1>
${subtitle && html`<p class="pub-subtitle" dir="auto">${subtitle}</p>`}
<p class="pub-facts">${ownerName && html`<span class="pub-owner">By <bdi>${ownerName}</bdi></span> `}<span>${itemsInWords(mediaCount)}</span></p>
</div></header>`
}

function actions({ collection, media, path }: CollectionView) {
  if (media.length === 0) return null
  return html`<div class="pub-actions">
${collection.allowsDownload && html`<a class="pub-button pub-primary" href="${path}/download" download>Download all</a>`}
<a class="pub-button pub-copy" href="/api${path}/urls" data-copy="/api${path}/urls">Copy URLs</a></div>`
}

function content({ collection, media, page, path }: CollectionView, linkTo?: string) {
  const pageAddress = (number: number) => `${path}?page=${number}${linkTo ? '&embed=1' : ''}`
  if (media.length === 0 && collection.mediaCount > 0) {
    // The link is from when the collection had more items.
    return html`<p class="pub-empty">There are no more items on this page</p>
<nav class="pub-pages" aria-label="Pages"><a class="pub-button" href="${pageAddress(1)}" rel="prev">Go to the first page</a></nav>`
  }
  if (media.length === 0) return html`<p class="pub-empty">No media in this collection</p>`
  const first = (page - 1) * tilesPerPage
  const { mediaCount: total, allowsDownload } = collection
  const isMore = first + media.length < total
  return html`<div class="pub-frame">${grid(media, { first, total, allowsDownload, linkTo })}</div>
<nav class="pub-pages" aria-label="Pages">${page > 1 && html`<a class="pub-button" href="${pageAddress(page - 1)}" rel="prev">Back</a>`}${
    isMore && html`<a class="pub-button" href="${pageAddress(page + 1)}" rel="next">Show more</a>`
  }</nav>`
}

function linkPreview({ collection, cover, origin }: CollectionView): LinkPreview {
  const { customBranding, description, mediaCount, publicUrl } = collection
  return {
    url: publicUrl,
    title: headingOf(collection),
    description: customBranding.subtitle || description || itemsInWords(mediaCount),
    image: cover && previewImage(cover, origin),
  }
}

/**
 * A crop around the focal point, as JPEG, because not every link-preview program reads newer formats; of a video, its poster.
 * These programs keep what they found at an address, so the address changes with the focal point.
 */
export function previewImage({ width, height, focalPoint, thumbnailUrl, alt }: PublicMedia, origin: string) {
  const size = width && height ? fitPicture({ width, height }, { ...linkPreviewSize, fit: 'cover' }) : linkPreviewSize
  const path = thumbnailUrl.replace(derivedNames.thumbnail, derivedNames.linkPreview)
  return { url: `${origin}${path}${focalPoint ? `?at=${focalPoint.x}-${focalPoint.y}` : ''}`, ...size, alt }
}

/** Loaded eagerly: about as many as the first screen shows. */
const eagerItems = 8
const gridSizes =
  '(min-width: 1600px) 16vw, (min-width: 1280px) 20vw, (min-width: 960px) 25vw, (min-width: 640px) 33vw, 50vw'
const sizesOfOne = `min(100vw, ${loneTileWidth})`

type GridOptions = { first: number; total: number; allowsDownload: boolean; linkTo?: string }
type TileOptions = GridOptions & { sizes: string }

/** Every tile links to its image or video, so that the page works before, and without, any script. */
function grid(media: PublicMedia[], options: GridOptions) {
  const { first, total } = options
  const rows = media.length === total ? rowsOfFew(media) : undefined
  const sizesOf = (index: number) => {
    if (total === 1) return sizesOfOne
    return rows ? sizesInRow(rows, index) : gridSizes
  }
  return html`<ul class="pub-grid${rows && ' pub-few'}" data-first="${first}" data-total="${total}">${media.map(
    (item, index) => tile(item, first + index, { ...options, sizes: sizesOf(index) }),
  )}</ul>`
}

function sizesInRow(rows: NonNullable<ReturnType<typeof rowsOfFew>>, index: number) {
  const widths = rows.map(
    ({ minWidth, tiles }) => `(min-width: ${minWidth}px) ${Math.ceil(100 * tiles[index]!.share)}vw`,
  )
  return [...widths.toReversed(), '50vw'].join(', ')
}

function tile(media: PublicMedia, index: number, { sizes, allowsDownload, linkTo }: TileOptions) {
  const address = linkTo ?? media.playbackUrl ?? largeAddress(media)
  return html`<li class="pub-item pub-c${index}"><a href="${address}"${
    linkTo ? html` target="_blank" rel="noopener"` : html` data-media="${slideData(media, allowsDownload)}"`
  }>${tilePicture(media, index, sizes)}${
    media.type === 'video' &&
    html`<span class="pub-play">${media.duration ? formatDuration(media.duration) : 'Video'}</span>`
  }</a></li>`
}

function tilePicture(media: PublicMedia, index: number, sizes: string) {
  const isEager = index < eagerItems
  const srcset = gridSrcset(media)
  return html`<img src="${media.thumbnailUrl}"${srcset && html` srcset="${srcset}" sizes="${sizes}"`} alt="${
    media.alt
  }"${languageOf(media)} width="${media.width ?? 400}" height="${media.height ?? 400}"${
    isEager ? index < 2 && html` fetchpriority="high"` : html` loading="lazy"`
  } decoding="async">`
}

export const titleOf = ({ title, filename }: PublicMedia) => title ?? splitExtension(filename).stem

/** The document is in English, like its buttons. */
export const languageOf = ({ altLanguage }: PublicMedia) =>
  altLanguage && altLanguage !== 'en' && html` lang="${altLanguage}"`

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
    caption: media.caption,
    ...(allowsDownload && { download: `${media.originalUrl}?download=1` }),
  }
  return JSON.stringify(data)
}
