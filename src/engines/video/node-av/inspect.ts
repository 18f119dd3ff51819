import { jpegFilter } from '../filters.ts'
import { describeVideo } from '../video-facts.ts'
import { type Inspection, recipe } from '../video-tasks.ts'
import { decodeEarlyFrame } from './decode.ts'
import { filterFrame, writeJpeg } from './jpeg.ts'
import { openVideo } from './open-video.ts'
import { decodePosterFrame } from './poster-frame.ts'
import { readTraits } from './traits.ts'

/** Facts and poster from one open file and one decoded picture. */
export async function inspect({ path, posterPath }: { path: string; posterPath?: string }): Promise<Inspection> {
  await using video = await openVideo(path)
  using frame = posterPath ? await decodePosterFrame(video) : await decodeEarlyFrame(video)
  const traits = readTraits(video, frame)
  const facts = describeVideo(traits)
  if (!posterPath) return { facts }
  const { filter, width, height } = jpegFilter(traits.source, recipe.posterEdge)
  using poster = await filterFrame(frame, filter)
  await writeJpeg(poster, posterPath, 2)
  return { facts, poster: { width, height } }
}
