import { formatBytes } from '#shared/bytes.ts'
import { formatDuration } from '#shared/duration.ts'
import type { Exif, ViewedMedia } from '../../contract.ts'
import type { MediaMimeType } from '../../mime-types.ts'

type Fact = { term: string; value: string; href?: string }

const typeNames: Record<string, string> = {
  'image/jpeg': 'JPEG image',
  'image/png': 'PNG image',
  'image/gif': 'GIF image',
  'image/webp': 'WebP image',
  'image/avif': 'AVIF image',
  'video/mp4': 'MP4 video',
  'video/quicktime': 'QuickTime video',
  'video/x-msvideo': 'AVI video',
} satisfies Record<MediaMimeType, string>

/** The known facts about an item, the most interesting first. */
export function factsOf(media: ViewedMedia, locale?: string): Fact[] {
  const { type, width, height, duration, exif, takenAt } = media
  const facts: (Fact | undefined)[] = [
    fact('Title', media.title),
    { term: 'Type', value: typeName(media) },
    fact('Dimensions', width && height && dimensions(width, height, type)),
    fact('Duration', duration !== null && formatDuration(duration)),
    { term: 'Size', value: formatBytes(media.size) },
    fact('Taken', takenAt && formatTaken(takenAt, locale)),
    { term: 'Added', value: formatMoment(media.createdAt, locale) },
    fact('Camera', exif?.camera),
    fact('Lens', exif?.lens),
    fact('Exposure', exif && exposureWords(exif)),
    locationFact(exif ?? {}),
    fact('Creator', media.creator),
    fact('Credit', media.credit),
    linkedFact('License', media.licence),
    linkedFact('Source', media.sourceUrl),
    { term: 'Views', value: media.viewCount.toLocaleString('en') },
  ]
  return facts.filter((known) => known !== undefined)
}

function fact(term: string, value: string | 0 | false | null | undefined): Fact | undefined {
  return value ? { term, value } : undefined
}

/** A link if it is a web address. */
function linkedFact(term: string, value: string | null | undefined): Fact | undefined {
  if (!value) return undefined
  return /^https?:\/\//i.test(value) ? { term, value, href: value } : { term, value }
}

function typeName({ mimeType, isAnimated }: ViewedMedia): string {
  const name = typeNames[mimeType] ?? mimeType
  return isAnimated ? `${name}, animated` : name
}

function dimensions(width: number, height: number, type: ViewedMedia['type']): string {
  const megapixels = (width * height) / 1_000_000
  const size = `${width} × ${height}`
  return type === 'image' && megapixels >= 0.95 ? `${size} · ${megapixels.toFixed(1)} MP` : size
}

/** "1/250 s · f/2.8 · 35 mm · ISO 200" */
export function exposureWords({ exposure, aperture, focalLength, iso }: Exif): string {
  const parts = [
    exposure && `${exposure} s`,
    aperture && `f/${aperture}`,
    focalLength && `${focalLength} mm`,
    iso && `ISO ${iso}`,
  ]
  return parts.filter(Boolean).join(' · ')
}

/** The nearest town if it is known. Only a link, so no request is sent to the map before the user follows it. */
function locationFact({ latitude, longitude, place: town }: Exif): Fact | undefined {
  if (latitude === undefined || longitude === undefined) return undefined
  const coordinates = `${degrees(latitude, 'N', 'S')}, ${degrees(longitude, 'E', 'W')}`
  const query = `mlat=${latitude}&mlon=${longitude}#map=15/${latitude}/${longitude}`
  return {
    term: 'Place',
    value: town ?? coordinates,
    href: `https://www.openstreetmap.org/?${query}`,
  }
}

const degrees = (value: number, positive: string, negative: string) =>
  `${Math.abs(value).toFixed(4)}° ${value < 0 ? negative : positive}`

const momentStyle = { dateStyle: 'medium', timeStyle: 'short' } as const

function formatMoment(iso: string, locale?: string): string {
  return new Intl.DateTimeFormat(locale, momentStyle).format(new Date(iso))
}

/** Cameras record local time without a time zone, so it is shown unchanged in every time zone. */
export function formatTaken(takenAt: string, locale?: string): string {
  if (takenAt.endsWith('Z')) return formatMoment(takenAt, locale)
  const wallClock = new Date(`${takenAt.slice(0, 19)}Z`)
  if (Number.isNaN(wallClock.getTime())) return takenAt
  return new Intl.DateTimeFormat(locale, { ...momentStyle, timeZone: 'UTC' }).format(wallClock)
}
