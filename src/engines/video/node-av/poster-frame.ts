import type { Frame } from 'node-av/lib'
import { decodeEarlyFrame } from './decode.ts'
import type { OpenVideo } from './open-video.ts'
import { pickFrames } from './pick-frames.ts'
import { drawSketch } from './sketch.ts'

/** No part of the picture is brighter than this, of 255: it is black, or a fade has just begun. */
const darkest = 40
/** How many pictures are tried instead of a dark one. */
const maxTries = 8

/** The picture that stands for the video; whoever receives it frees it. Films that begin in the dark show a later one. */
export async function decodePosterFrame(video: OpenVideo): Promise<Frame> {
  let chosen = await decodeEarlyFrame(video)
  let sketch = await drawSketch(chosen)
  if (Math.max(...sketch) >= darkest) return chosen
  for await (const frame of pickFrames(video, maxTries)) {
    const other = await drawSketch(frame)
    // Half again as bright, or a fade that goes on would be left in its first moment.
    const isBetter = brightness(other) > 1.5 * brightness(sketch) && Math.max(...other) >= darkest
    const rejected = isBetter ? chosen : frame
    rejected.free()
    if (!isBetter) continue
    chosen = frame
    sketch = other
  }
  return chosen
}

function brightness(sketch: Buffer) {
  let sum = 0
  for (const value of sketch) sum += value
  return sum
}
