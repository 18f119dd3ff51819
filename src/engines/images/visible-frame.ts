import type { ResizeOptions } from 'sharp'
import { decode, type Header, maxPixels, openUpright, type Source } from './decoder.ts'

type DecodedPixels = Awaited<ReturnType<typeof decode>>

/** Parts of a picture that differ by no more than this, of 255, look the same. */
const plainDifference = 12

/** The pixels of the frame that stands for the picture: films begin with empty frames and in the dark, and show a later one. */
export async function decodeVisible(task: Source, header: Header, size: ResizeOptions): Promise<DecodedPixels> {
  const decodeFrame = (page: number) => decode(openUpright(task, header, page).resize(size).toColourspace('srgb').raw())
  const first = await decodeFrame(0)
  if (header.frames === 1) return first
  let best = { pixels: first, sight: sightOf(first) }
  for (const page of laterFrames(header)) {
    if (best.sight === sights.varied) break
    const pixels = await decodeFrame(page)
    const sight = sightOf(pixels)
    if (sight > best.sight) best = { pixels, sight }
  }
  return best.pixels
}

/** A few, and none too far: to reach one, the decoder reads all before it, and a few kilobytes can hold gigapixels of them. */
export function laterFrames({ frames, width, height }: Pick<Header, 'frames' | 'width' | 'height'>): Set<number> {
  const isNear = (page: number) => (page + 1) * width * height <= maxPixels
  const pages = [1, 2, 3, 4, frames >> 3, frames >> 2, frames >> 1]
  return new Set(pages.filter((page) => page > 0 && page < frames && isNear(page)))
}

/** How much there is to see. */
const sights = { nothing: 0, oneColour: 1, varied: 2 }

function sightOf({ data, info: { channels } }: DecodedPixels): number {
  const hasAlpha = channels === 2 || channels === 4
  const isSeen = (at: number) => !hasAlpha || data[at + channels - 1] !== 0
  let seen = 0
  while (seen < data.length && !isSeen(seen)) seen += channels
  if (seen === data.length) return sights.nothing
  for (let at = 0; at < data.length; at++) {
    if (Math.abs(data[at]! - data[seen + (at % channels)]!) > plainDifference) return sights.varied
  }
  return sights.oneColour
}
