import { isRealTime, nameCamera, toLine } from '#shared/camera-metadata.ts'

export type Recording = {
  /** ISO 8601; with the camera's own offset where it wrote one, otherwise UTC; of an AVI in the camera's local time. */
  takenAt?: string
  camera?: string
  location?: { latitude: number; longitude: number }
}

const dateTags = ['com.apple.quicktime.creationdate', 'creation_time', 'date']
const locationTag = /^(location|com\.apple\.quicktime\.location|xyz|©xyz)/i
/** Cameras without a clock write the epoch of their format, 1904 or 1970. */
const earliestYear = 1990

export function readRecording(tags: Record<string, string>): Recording {
  const place = Object.entries(tags).find(([name]) => locationTag.test(name))?.[1]
  const camera = (name: string) => toLine(tags[`com.apple.quicktime.${name}`] ?? tags[name])
  return {
    camera: nameCamera(camera('make'), camera('model')),
    takenAt: dateTags.map((name) => readDate(tags[name])).find(Boolean),
    location: place === undefined ? undefined : readPosition(place),
  }
}

function readDate(text: string | undefined) {
  const localTime = text && readLocalTime(text)
  if (localTime) return localTime
  if (!text || !/^\d{4}-\d\d-\d\dT/.test(text)) return undefined
  const time = Date.parse(text)
  if (Number.isNaN(time) || new Date(time).getUTCFullYear() < earliestYear) return undefined
  const [, local, hours, minutes] = /^(.*)([+-]\d\d):?(\d\d)$/.exec(text) ?? []
  return local ? `${local}${hours}:${minutes}` : new Date(time).toISOString()
}

/** `2003-03-10 15:04:43` and `2009-10-27/ 12:14`, as FFmpeg tells the date of an AVI. */
function readLocalTime(text: string) {
  const [, day, minutes, seconds = '00'] = /^(\d{4}-\d\d-\d\d)\/? (\d\d:\d\d)(?::(\d\d))?$/.exec(text) ?? []
  const time = `${day}T${minutes}:${seconds}`
  return isRealTime(time) && Number(time.slice(0, 4)) >= earliestYear ? time : undefined
}

/** ISO 6709, as cameras write it: `+48.8577+002.2950/`. */
function readPosition(text: string) {
  const [, north, east] = /^([+-]\d{1,2}(?:\.\d+)?)([+-]\d{1,3}(?:\.\d+)?)/.exec(text) ?? []
  const latitude = Number(north)
  const longitude = Number(east)
  if (!(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)) return undefined
  // What a phone without reception writes.
  if (latitude === 0 && longitude === 0) return undefined
  return { latitude, longitude }
}
