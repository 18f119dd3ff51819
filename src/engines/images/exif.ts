import ExifReader from 'exifreader'
import { isRealTime, nameCamera, toLine } from '#shared/camera-metadata.ts'
import type { ImageExif } from './image-tasks.ts'

/** No camera writes more; bytes beyond it are not read. */
const maxExifBytes = 256 * 1024
const exifPrefix = Buffer.from('Exif\0\0', 'latin1')

const tagNames = [
  'Make',
  'Model',
  'LensModel',
  'DateTimeOriginal',
  'OffsetTimeOriginal',
  'DateTimeDigitized',
  'OffsetTimeDigitized',
  'FNumber',
  'ExposureTime',
  'ISOSpeedRatings',
  'FocalLength',
]

/** Reads the EXIF block that the decoder found; values that make no sense are omitted. */
export function readExif(block: Buffer | undefined): ImageExif {
  if (!block) return {}
  const tiff = block.subarray(0, 6).equals(exifPrefix) ? block.subarray(6) : block
  const { tags, location } = readTags(Buffer.from(tiff.subarray(0, maxExifBytes)))
  const exif: ImageExif = {
    takenAt:
      toLocalTime(tags.DateTimeOriginal, tags.OffsetTimeOriginal) ??
      toLocalTime(tags.DateTimeDigitized, tags.OffsetTimeDigitized),
    camera: nameCamera(toLine(tags.Make), toLine(tags.Model)),
    lens: toLine(tags.LensModel),
    focalLength: toNumber(tags.FocalLength, 0.1, 20_000),
    aperture: toNumber(tags.FNumber, 0.1, 1_000),
    exposure: toExposure(toNumber(tags.ExposureTime, 0.000_000_1, 1_000_000)),
    iso: toNumber(Array.isArray(tags.ISOSpeedRatings) ? tags.ISOSpeedRatings[0] : tags.ISOSpeedRatings, 1, 100_000_000),
    ...location,
  }
  return Object.fromEntries(Object.entries(exif).filter(([, value]) => value !== undefined))
}

function readTags(tiff: Buffer): { tags: Record<string, unknown>; location?: { latitude: number; longitude: number } } {
  try {
    const { exif = {}, gps } = ExifReader.load(tiff, {
      expanded: true,
      computed: true,
      includeTags: { exif: tagNames, gps: true },
    })
    const tags = Object.entries(exif).map(([name, tag]) => [name, (tag as { computed?: unknown }).computed])
    return { tags: Object.fromEntries(tags), location: toCoordinates(gps?.Latitude, gps?.Longitude) }
  } catch {
    // Damaged EXIF is no reason to refuse a picture.
    return { tags: {} }
  }
}

function toNumber(value: unknown, least: number, most: number): number | undefined {
  if (typeof value !== 'number' || !(value >= least && value <= most)) return undefined
  return Number(value.toPrecision(6))
}

function toExposure(seconds: number | undefined): string | undefined {
  if (seconds === undefined) return undefined
  return seconds < 0.3 ? `1/${Math.round(1 / seconds)}` : String(Number(seconds.toFixed(1)))
}

function toLocalTime(value: unknown, offset: unknown): string | undefined {
  const match = typeof value === 'string' && /^(\d{4}):(\d\d):(\d\d) (\d\d):(\d\d):(\d\d)/.exec(value)
  if (!match) return undefined
  const [, year, month, day, hour, minute, second] = match
  const time = `${year}-${month}-${day}T${hour}:${minute}:${second}`
  if (!isRealTime(time) || Number(year) < 1826) return undefined
  const isOffset = typeof offset === 'string' && /^[+-](0\d|1[0-4]):[0-5]\d$/.test(offset)
  return isOffset ? time + offset : time
}

function toCoordinates(latitude: unknown, longitude: unknown) {
  if (typeof latitude !== 'number' || typeof longitude !== 'number') return undefined
  if (!(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)) return undefined
  // A camera without reception writes zero and zero.
  if (latitude === 0 && longitude === 0) return undefined
  const round = (degrees: number) => Number(degrees.toFixed(6))
  return { latitude: round(latitude), longitude: round(longitude) }
}
