import { extensionsOfType } from '#features/media/mime-types.ts'
import type { Rendition } from '#features/media/server/files/renditions.ts'
import { focalPointOf } from '#features/media/server/focal-point.ts'
import { invalid, notFound } from '#platform/errors.ts'
import { fitPicture, isCrop, type WantedSize } from '#shared/fit-picture.ts'
import type { DeliveryQuery, Preset } from '../contract.ts'
import type { DeliveredRow } from './store.ts'

export type FileRequest = {
  extension?: string
  query: DeliveryQuery
  /** The `Accept` header. */
  accept?: string
  presets: Preset[]
}

/** `whole`: the picture as it was uploaded, without metadata, or the playable video. */
export type ChosenFile = {
  file: 'whole' | Rendition
  /** Whether it depends on what the browser accepts. */
  isNegotiated: boolean
}

type Format = Rendition['format']

const formats: Record<string, Format> = { webp: 'webp', avif: 'avif', jpg: 'jpeg', jpeg: 'jpeg', png: 'png' }
const ownFormats: Record<string, Format> = {
  'image/jpeg': 'jpeg',
  'image/png': 'png',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/avif': 'avif',
}

export function chooseFile(media: DeliveredRow, { extension, query, accept = '', presets }: FileRequest): ChosenFile {
  const isOwn = !extension || extensionsOfType(media.mime_type).includes(extension)
  if (query.format && extension) throw invalid('Use either an extension or format=auto.')
  const { size, quality, format } = readWish(query, presets)
  const isSized = Boolean(size.width || size.height || quality)
  if (media.type === 'video' && (isOwn || extension === 'mp4')) {
    if (isSized) throw invalid("A video can't be resized. Add .jpg or .webp to get its poster in this size.")
    return { file: 'whole', isNegotiated: false }
  }
  const chosen = isOwn ? undefined : formats[extension]
  if (!isOwn && !chosen) throw wrongExtension(media)

  const own = ownFormats[media.mime_type] ?? 'jpeg'
  const isNegotiated = !extension && format === 'auto'
  const preset = format === 'auto' || format === 'original' || !format ? undefined : formats[format]
  const final = chosen ?? (isNegotiated ? bestFor(media, accept, own) : extension ? own : (preset ?? own))
  const fitted = isSized ? fit(media, size) : {}
  const isFullSize = !fitted.width && !fitted.height
  // Made again, a photograph may become much smaller; a GIF or PNG would only become larger.
  const isBestAsItIs = !isSized || (isFullSize && (final === 'png' || final === 'gif'))
  const isWhole = media.type === 'image' && final === own && isBestAsItIs
  return { file: isWhole ? 'whole' : { ...fitted, quality, format: final }, isNegotiated }
}

function readWish(query: DeliveryQuery, presets: Preset[]) {
  const { w: width, h: height, fit, q: quality, format, p } = query
  if (p === undefined) return { size: { width, height, fit }, quality, format }
  if (width || height || fit || quality) {
    throw invalid('A preset has a size of its own. Remove either p, or w, h, fit and q.')
  }
  const preset = presets.find(({ name }) => name === p)
  if (!preset) throw notFound('Preset')
  return { size: preset, quality: preset.quality ?? undefined, format: format ?? preset.format }
}

function wrongExtension({ type }: DeliveredRow) {
  return type === 'image'
    ? invalid('An image can be delivered as .webp, .avif, .jpg or .png. Please use one of these, or no extension.')
    : invalid('A video can be delivered as .mp4, and its poster as .jpg or .webp. Please use one of these.')
}

/** AVIF would lose an animation, and of an animated PNG the decoder reads one frame. */
function bestFor({ is_animated }: DeliveredRow, accept: string, own: Format): Format {
  if (is_animated === 1 && own === 'png') return own
  if (accept.includes('image/avif') && is_animated !== 1) return 'avif'
  if (accept.includes('image/webp')) return 'webp'
  return own === 'avif' ? 'jpeg' : own
}

/** The exact size instead of the wanted one, so that all sizes above the picture's own are one file. */
function fit({ width, height, ...media }: DeliveredRow, wanted: WantedSize): Omit<Rendition, 'format'> {
  const focalPoint = isCrop(wanted) ? focalPointOf(media) : undefined
  if (!width || !height) return { ...wanted, width: wanted.width, height: wanted.height, focalPoint }
  const size = fitPicture({ width, height }, wanted)
  if (isCrop(wanted)) return { ...size, fit: 'cover', focalPoint }
  if (size.width === width && size.height === height) return {}
  return wanted.height ? size : { width: size.width }
}
