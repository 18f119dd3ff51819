import { isRealTime, nameCamera, toLine } from '#shared/camera-metadata.ts'
import { displaySize, type PictureSource, type Rotation } from './filters.ts'

export type VideoFacts = Recording & {
  durationSeconds: number
  /** Size on screen: upright, with square pixels. */
  width: number
  height: number
  /** Clockwise degrees by which players rotate the stored frames. */
  rotation: Rotation
  videoCodec: string
  audioCodec: string | null
  container: string
  framesPerSecond: number
  isHdr: boolean
  playable: Playable
}

/** What the decoder read from the file. */
export type VideoTraits = {
  container: string
  durationSeconds: number
  framesPerSecond: number
  videoCodec: string
  audioCodec: string | null
  pixelFormat: string
  source: PictureSource
  tags: Record<string, string>
}

export const maxPixels = 64 * 1024 * 1024

export function describeVideo(traits: VideoTraits): VideoFacts {
  const { source, tags, pixelFormat, ...rest } = traits
  const isHdr = source.transfer !== 'sdr'
  const playable = playableAs({ ...rest, pixelFormat, isHdr })
  return {
    ...rest,
    ...displaySize(source),
    ...readRecording(tags),
    durationSeconds: roundTo(positive(traits.durationSeconds), 1000),
    framesPerSecond: roundTo(Math.min(positive(traits.framesPerSecond), 1000), 100),
    rotation: source.orientation.rotation,
    isHdr,
    playable,
  }
}

/** Damaged headers contain any number, and some computations on them give none. */
export const positive = (value: number) => (Number.isFinite(value) && value > 0 ? value : 0)

/** A pixel aspect beyond four to one is damage; no camera records it. */
export function plausiblePixelAspect(aspect: number) {
  return aspect >= 0.25 && aspect <= 4 ? aspect : 1
}

const roundTo = (value: number, steps: number) => Math.round(value * steps) / steps

/** The conversion that the video needs before every current browser plays it. */
type Playable = 'as-is' | 'remux' | 'transcode'

export type Tracks = {
  container: string
  videoCodec: string
  /** FFmpeg's name, e.g. `yuv420p`. */
  pixelFormat: string
  isHdr: boolean
  audioCodec: string | null
}

const eightBit420 = ['yuv420p', 'yuvj420p']
const mp4Audio = ['aac', 'mp3']

/**
 * 8-bit 4:2:0 H.264 with AAC or MP3 in MP4 plays everywhere, VP9 nearly everywhere, HEVC and AV1 only on some machines. AVI
 * has no presentation timestamps, so its packets cannot be copied into another container.
 */
export function playableAs(tracks: Tracks): Playable {
  if (tracks.container === 'avi' || !isVideoPlayable(tracks)) return 'transcode'
  return tracks.container === 'mp4' && hasPlayableAudio(tracks) ? 'as-is' : 'remux'
}

/** Whether the audio may be copied into an MP4; otherwise it becomes AAC next to the copied video. */
export const canCopyAudio = (audioCodec: string) => mp4Audio.includes(audioCodec)

const isVideoPlayable = ({ videoCodec, pixelFormat, isHdr }: Tracks) =>
  !isHdr && eightBit420.includes(pixelFormat) && ['h264', 'vp9'].includes(videoCodec)

const hasPlayableAudio = ({ audioCodec }: Tracks) => audioCodec === null || canCopyAudio(audioCodec)

type Track = {
  /** Cameras and editors disable extra tracks, such as a second view or another language. */
  isEnabled: boolean
  /** The track may be a cover that is not marked as one. */
  isSingleFrame?: boolean
}

/** Returns the track that browsers play: the first enabled one, and a cover only if there is no video. */
export function chooseTrack<T>(tracks: T[], describe: (track: T) => Track): T | undefined {
  const rank = (track: T) => {
    const { isEnabled, isSingleFrame } = describe(track)
    return (isSingleFrame ? 2 : 0) + (isEnabled ? 0 : 1)
  }
  return tracks.toSorted((one, other) => rank(one) - rank(other))[0]
}

type Recording = {
  /** ISO 8601: with the camera's offset if it wrote one, otherwise in UTC; for an AVI in the camera's local time. */
  takenAt?: string
  camera?: string
  location?: { latitude: number; longitude: number }
}

const dateTags = ['com.apple.quicktime.creationdate', 'creation_time', 'date']
const locationTag = /^(location|com\.apple\.quicktime\.location|xyz|©xyz)/i
/** Cameras without a clock write the epoch of their format, 1904 or 1970. */
const earliestYear = 1990

export function readRecording(tags: Record<string, string>): Recording {
  const position = Object.entries(tags).find(([name]) => locationTag.test(name))?.[1]
  const camera = (name: string) => toLine(tags[`com.apple.quicktime.${name}`] ?? tags[name])
  return {
    camera: nameCamera(camera('make'), camera('model')),
    takenAt: dateTags.map((name) => readDate(tags[name])).find(Boolean),
    location: position === undefined ? undefined : readPosition(position),
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

/** Reads `2003-03-10 15:04:43` and `2009-10-27/ 12:14`, the formats that FFmpeg returns for an AVI. */
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
  // A phone without GPS reception writes zeros.
  if (latitude === 0 && longitude === 0) return undefined
  return { latitude, longitude }
}
