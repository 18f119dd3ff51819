import { renditionWidths } from '#features/media/limits.ts'
import { escapeCsvCell, escapeHtml, escapeMarkdown } from '#shared/escape.ts'
import { fitPicture } from '#shared/fit-picture.ts'
import type { FileAddress, Preset } from './contract.ts'
import { queryText } from './file-address.ts'

/** An item as a website shows it. All addresses are absolute. */
export type SnippetItem = {
  name: string
  alt: string
  type: 'image' | 'video'
  mimeType: string
  width: number | null
  height: number | null
  isAnimated: boolean
  isTransparent: boolean
  /** Null for an item that is public in a collection only. */
  fileUrl: string | null
  pageUrl: string | null
  /** Its address while a collection shows it, `/files/…`. */
  sharedUrl?: string
}

export const snippetFormats = {
  file: 'File address',
  page: 'Page link',
  img: 'HTML <img>',
  picture: 'HTML <picture>',
  markdown: 'Markdown',
  bbcode: 'BBCode',
  json: 'JSON',
  csv: 'CSV',
} as const
export type SnippetFormat = keyof typeof snippetFormats

type PictureFormat = 'auto' | 'avif' | 'webp' | 'jpg' | 'png'
/** `signed`: the addresses that the server signed for a size of the owner's choice. */
export type SnippetSize = {
  maxWidth?: number
  preset?: Preset
  signed?: { files: Partial<Record<PictureFormat, FileAddress>> }
}

type Options = {
  size: SnippetSize
  /** The `sizes` attribute: how wide the picture is in its page. */
  layout: string
}

/** The text that shows these items on another website. */
export function makeSnippet(format: SnippetFormat, items: readonly SnippetItem[], options: Options): string {
  if (format === 'json') {
    const described = items.map((item) => describe(item, options))
    return JSON.stringify(described.length === 1 ? described[0] : described, null, 2)
  }
  if (format === 'csv') {
    const rows = items.map((item) => Object.values(describe(item, options)))
    return [['Name', 'Description', 'URL', 'Page', 'Width', 'Height'], ...rows].map(csvRow).join('\r\n')
  }
  return items.map((item) => writers[format](item, options)).join('\n')
}

const writers: Record<Exclude<SnippetFormat, 'json' | 'csv'>, (item: SnippetItem, options: Options) => string> = {
  file: (item, { size }) => plainAddress(item, size),
  page: (item) => item.pageUrl ?? plainAddress(item, {}),
  img: toImg,
  picture: toPicture,
  markdown(item, { size }) {
    // Parentheses would end the address too early.
    const url = plainAddress(item, size).replaceAll('(', '%28').replaceAll(')', '%29')
    return `${item.type === 'image' ? '!' : ''}[${escapeMarkdown(item.alt)}](${url})`
  },
  bbcode(item, { size }) {
    const url = plainAddress(item, size).replaceAll('[', '%5B').replaceAll(']', '%5D')
    return item.type === 'image' ? `[img]${url}[/img]` : `[url]${url}[/url]`
  },
}

function describe(item: SnippetItem, { size }: Options) {
  const { width, height } = sizeOf(item, size)
  return { name: item.name, alt: item.alt, url: plainAddress(item, size), page: item.pageUrl, width, height }
}

const csvRow = (cells: readonly unknown[]) =>
  cells.map((cell) => `"${escapeCsvCell(String(cell ?? '')).replaceAll('"', '""')}"`).join(',')

/** One address, for what cannot choose among several. A video is not resized. */
function plainAddress(item: SnippetItem, size: SnippetSize) {
  if (item.type === 'video') return addressOf(item, {}, undefined)
  return addressOf(item, size, size.maxWidth || size.preset || size.signed ? 'auto' : undefined)
}

function toImg(item: SnippetItem, { size, layout }: Options) {
  if (item.type === 'video') return toVideo(item)
  const srcset = srcsetOf(item, size, 'auto')
  return img(item, { size, format: 'auto', srcset: srcset.includes(',') ? srcset : undefined, layout })
}

/** AVIF would lose an animation, and WebP that of a PNG. */
const sourceFormats = ({ isAnimated, mimeType }: SnippetItem) =>
  !isAnimated ? (['avif', 'webp'] as const) : mimeType === 'image/png' ? [] : (['webp'] as const)

function toPicture(item: SnippetItem, { size, layout }: Options) {
  if (item.type === 'video') return toVideo(item)
  const sources = sourceFormats(item).map((format) => {
    const srcset = srcsetOf(item, size, format)
    const sizes = srcset.endsWith('w') ? ` sizes="${escapeHtml(layout)}"` : ''
    return `  <source type="image/${format}" srcset="${escapeHtml(srcset)}"${sizes}>\n`
  })
  const fallback = item.isAnimated ? undefined : item.isTransparent ? 'png' : 'jpg'
  return `<picture>\n${sources.join('')}  ${img(item, { size, format: fallback, layout })}\n</picture>`
}

type Image = { size: SnippetSize; format?: PictureFormat; srcset?: string; layout: string }

function img(item: SnippetItem, { size, format, srcset, layout }: Image) {
  const { width, height } = sizeOf(item, size)
  return `<img ${[
    attribute('src', addressOf(item, endOf(item, size), format)),
    srcset && `${attribute('srcset', srcset)} ${attribute('sizes', layout)}`,
    width && height && `width="${width}" height="${height}"`,
    attribute('alt', item.alt),
    'loading="lazy" decoding="async"',
  ]
    .filter(Boolean)
    .join(' ')}>`
}

function toVideo(item: SnippetItem) {
  const { width, height } = item
  const poster = item.fileUrl ? `${item.fileUrl}.jpg?w=1280` : undefined
  return `<video controls preload="none" ${[
    poster && attribute('poster', poster),
    attribute('src', addressOf(item, {}, undefined)),
    width && height && `width="${width}" height="${height}"`,
    attribute('aria-label', item.alt),
  ]
    .filter(Boolean)
    .join(' ')}></video>`
}

const attribute = (name: string, value: string) => `${name}="${escapeHtml(value)}"`

/** The widths that the picture really has: its own width stands at the end of a list of smaller ones. */
export function widthsOf({ width }: Pick<SnippetItem, 'width'>, maxWidth: number = renditionWidths.at(-1)!) {
  const end = Math.min(width ?? maxWidth, maxWidth)
  const smaller = renditionWidths.filter((candidate) => candidate < end)
  const last = renditionWidths.find((candidate) => candidate >= end)
  return [
    ...smaller.map((candidate) => ({ asked: candidate, real: candidate })),
    ...(last ? [{ asked: last, real: end }] : []),
  ]
}

function srcsetOf(item: SnippetItem, size: SnippetSize, format: PictureFormat) {
  if (size.preset || size.signed) return addressOf(item, size, format)
  return widthsOf(item, size.maxWidth)
    .map(({ asked, real }) => `${addressOf(item, { maxWidth: asked }, format)} ${real}w`)
    .join(', ')
}

/** The largest size of a list, for browsers that know no lists. */
function endOf(item: SnippetItem, size: SnippetSize): SnippetSize {
  if (size.preset || size.signed) return size
  return { maxWidth: widthsOf(item, size.maxWidth).at(-1)!.asked }
}

function sizeOf(item: SnippetItem, { maxWidth, preset, signed }: SnippetSize) {
  const { width, height, type } = item
  if (!width || !height || type === 'video') return { width, height }
  if (signed) {
    const any = Object.values(signed.files)[0]
    return { width: any?.width ?? width, height: any?.height ?? height }
  }
  return fitPicture({ width, height }, preset ?? { width: maxWidth })
}

function addressOf(item: SnippetItem, { maxWidth, preset, signed }: SnippetSize, format: PictureFormat | undefined) {
  if (signed) return signed.files[format ?? 'auto']?.url ?? item.fileUrl ?? ''
  if (!item.fileUrl) return sharedAddress(item, maxWidth, format)
  const isAuto = format === 'auto'
  const extension = format && !isAuto ? `.${format}` : ''
  // A preset with a format of its own keeps it.
  const query = queryText({ w: maxWidth, p: preset?.name, format: isAuto && !preset ? 'auto' : undefined })
  return `${item.fileUrl}${extension}${query && `?${query}`}`
}

const sharedFormats: Record<string, string> = { avif: 'avif', jpg: 'jpeg' }

function sharedAddress({ sharedUrl = '', type }: SnippetItem, maxWidth?: number, format?: PictureFormat) {
  if (type === 'video' || (!maxWidth && !format)) return sharedUrl
  const width = maxWidth ? `w=${maxWidth}&` : ''
  return `${sharedUrl.split('?')[0]}?${width}format=${sharedFormats[format ?? ''] ?? 'webp'}`
}
