import type { Frame } from 'node-av/lib'
import { decodeEarlyFrame } from './decode.ts'
import type { OpenVideo } from './open-video.ts'
import { pickFrames } from './pick-frames.ts'
import { drawSketch, isPlain } from './sketch.ts'

/** How many pictures are tried instead of a plain one. */
const maxTries = 8

/**
 * The picture that stands for the video; whoever receives it frees it. Films that begin in the dark, with a plain title or with a
 * fade show a later one.
 */
export async function decodePosterFrame(video: OpenVideo): Promise<Frame> {
  let chosen = await decodeEarlyFrame(video)
  let sketch = await drawSketch(chosen)
  if (!isPlain(sketch)) return chosen
  for await (const frame of pickFrames(video, maxTries)) {
    const other = await drawSketch(frame)
    // Half again as much to see, or a fade that goes on would be left in its first moment.
    const isBetter = !isPlain(other) && variety(other) > 1.5 * variety(sketch)
    const rejected = isBetter ? chosen : frame
    rejected.free()
    if (!isBetter) continue
    chosen = frame
    sketch = other
  }
  return chosen
}

/** How far its parts are from their mean, all together. */
function variety(sketch: Buffer) {
  const mean = sketch.reduce((sum, value) => sum + value, 0) / sketch.length
  return sketch.reduce((sum, value) => sum + Math.abs(value - mean), 0)
}
