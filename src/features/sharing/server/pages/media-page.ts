import { posterWidths } from '#features/media/limits.ts'
import { formatBytes } from '#shared/bytes.ts'
import { formatDuration } from '#shared/duration.ts'
import type { PublicMedia } from '../../contract.ts'
import { languageOf, largeAddress, previewImage, titleOf } from './collection-page.ts'
import type { ClientAssets } from './document.ts'
import { html, pageDocument } from './document.ts'
import { largeSrcset } from './srcset.ts'
import { imageObject, structuredData } from './structured-data.ts'

type MediaView = { media: PublicMedia; origin: string; path: string; isIndexed: boolean }

export function mediaPage({ media, origin, path, isIndexed }: MediaView, assets: ClientAssets) {
  const title = titleOf(media)
  const { caption } = media
  return pageDocument({
    title,
    preview: {
      url: origin + path,
      title,
      description: caption || factsOf(media),
      image: previewImage(media, origin),
      ...(media.playbackUrl && { video: { url: origin + media.playbackUrl, type: playedType(media) } }),
    },
    head: html`${assets.styles}${assets.scripts}${isIndexed && media.type === 'image' && dataOf(media, title, origin)}`,
    body: html`<div class="pub-root pub-single" data-page="media"><main class="pub-main">
<div class="pub-stage">${media.type === 'video' ? film(media) : picture(media)}</div>
<div class="pub-words"><h1 class="pub-title" dir="auto">${title}</h1>
${caption && html`<p class="pub-subtitle" dir="auto">${caption}</p>`}
<p class="pub-facts">${factsOf(media)}</p>
<div class="pub-actions"><a class="pub-button" href="${media.originalUrl}?download=1" download>Download</a>
<a class="pub-button" href="${path}" data-copy-link>Copy link</a></div></div></main>
<footer class="pub-footer">Shared with Albumen</footer></div>`,
    isIndexed,
  })
}

const dataOf = (media: PublicMedia, name: string, origin: string) =>
  structuredData(
    imageObject({
      media,
      name,
      contentUrl: origin + largeAddress(media),
      thumbnailUrl: origin + media.thumbnailUrl,
      owner: null,
    }),
  )

/** A video without an MP4 version is sent as it was uploaded. */
const playedType = ({ playbackUrl, originalUrl, mimeType }: PublicMedia) =>
  playbackUrl === originalUrl ? mimeType : 'video/mp4'

function picture(media: PublicMedia) {
  const sources = (['avif', 'webp'] as const).map((format) => ({ format, srcset: largeSrcset(media, format) }))
  const size = media.width && media.height && html` width="${media.width}" height="${media.height}"`
  const image = html`<img src="${largeAddress(media)}" alt="${media.alt}"${languageOf(media)}${size} fetchpriority="high">`
  if (media.isAnimated) return image
  return html`<picture>${sources.map(
    ({ format, srcset }) => srcset && html`<source type="image/${format}" srcset="${srcset}" sizes="100vw">`,
  )}${image}</picture>`
}

function film(media: PublicMedia) {
  if (!media.playbackUrl) {
    return html`<img src="${media.thumbnailUrl}" alt="${media.alt}"${languageOf(media)}><p>This video is still being prepared. Please come back in a few minutes.</p>`
  }
  const size = media.width && media.height && html` width="${media.width}" height="${media.height}"`
  return html`<video controls playsinline preload="metadata" poster="${media.thumbnailUrl}?w=${posterWidths.small}" src="${media.playbackUrl}" aria-label="${media.alt}"${languageOf(media)}${size}></video>`
}

function factsOf({ width, height, duration, size }: PublicMedia) {
  const facts = [
    width && height ? `${width} × ${height}` : '',
    duration ? formatDuration(duration) : '',
    formatBytes(size),
  ]
  return facts.filter(Boolean).join(' · ')
}
