import { join } from 'node:path'
import { jpegFilter } from '../filters.ts'
import { recipe } from '../video-tasks.ts'
import { filterFrame, writeJpeg } from './jpeg.ts'
import { openVideo } from './open-video.ts'
import { pickFrames } from './pick-frames.ts'
import { drawSketch, isPlain } from './sketch.ts'
import { readPictureSource } from './traits.ts'

/** Mean difference of brightness (of 255) under which two pictures tell a model the same. */
const sameSceneDifference = 4

/** Pictures worth looking at, in order; the same scene twice would be paid for twice, and in the dark there is nothing to see. */
export async function extractSceneFrames(input: { path: string; directory: string; max: number }): Promise<string[]> {
  await using video = await openVideo(input.path)
  const scenes: string[] = []
  const plain: string[] = []
  let last: Buffer | undefined
  for await (using frame of pickFrames(video, input.max)) {
    const sketch = await drawSketch(frame)
    if (last && difference(last, sketch) < sameSceneDifference) continue
    last = sketch
    const number = scenes.length + plain.length + 1
    const path = join(input.directory, `scene-${String(number).padStart(2, '0')}.jpg`)
    using picture = await filterFrame(frame, jpegFilter(readPictureSource(video, frame), recipe.sceneEdge).filter)
    await writeJpeg(picture, path, 3)
    const kind = isPlain(sketch) ? plain : scenes
    kind.push(path)
  }
  return scenes.length > 0 ? scenes : plain
}

function difference(one: Buffer, other: Buffer) {
  let sum = 0
  for (const [index, value] of one.entries()) sum += Math.abs(value - (other[index] ?? 0))
  return sum / one.length
}
