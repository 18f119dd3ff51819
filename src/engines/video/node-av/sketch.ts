import type { Frame } from 'node-av/lib'
import { filterFrame } from './jpeg.ts'

/** The brightness of 16 by 16 parts of a picture, 0 to 255: enough to tell whether it is plain, or the same as another. */
export async function drawSketch(frame: Frame): Promise<Buffer> {
  using small = await filterFrame(frame, 'scale=16:16:flags=area,format=gray')
  return small.toBuffer()
}

/** No part of the picture is brighter than another by more than this, of 255: it is plain, or a fade has just begun. */
const plainest = 40

export const isPlain = (sketch: Buffer) => Math.max(...sketch) - Math.min(...sketch) < plainest
