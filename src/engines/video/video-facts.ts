import { displaySize, type PictureSource } from './filters.ts'
import type { Rotation } from './orientation.ts'
import { type Playable, playableAs } from './playable.ts'
import { type Recording, readRecording } from './recording-tags.ts'

export type VideoFacts = Recording & {
  durationSeconds: number
  /** As seen: upright, with square pixels. */
  width: number
  height: number
  /** Clockwise degrees by which players turn the stored picture. */
  rotation: Rotation
  videoCodec: string
  audioCodec: string | null
  container: string
  framesPerSecond: number
  isHdr: boolean
  playable: Playable
}

/** What a decoder found, before it is told in our words. */
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
  const { source, tags, pixelFormat, ...told } = traits
  const isHdr = source.transfer !== 'sdr'
  const playable = playableAs({ ...told, pixelFormat, isHdr })
  return {
    ...told,
    ...displaySize(source),
    ...readRecording(tags),
    durationSeconds: roundTo(positive(traits.durationSeconds), 1000),
    framesPerSecond: roundTo(Math.min(positive(traits.framesPerSecond), 1000), 100),
    rotation: source.orientation.rotation,
    isHdr,
    playable,
  }
}

/** Damaged headers hold any number, and some make none. */
export const positive = (value: number) => (Number.isFinite(value) && value > 0 ? value : 0)

/** Pixels wider or taller than four to one come from damage, not from a camera. */
export function plausiblePixelAspect(aspect: number) {
  return aspect >= 0.25 && aspect <= 4 ? aspect : 1
}

const roundTo = (value: number, steps: number) => Math.round(value * steps) / steps
