import { jpegFilter } from '../filters.ts'
import { describeVideo, type VideoFacts } from '../video-facts.ts'
import type { PosterWish } from '../video-tasks.ts'
import { decodeEarlyFrame } from './decode.ts'
import { filterFrame, writeJpeg } from './jpeg.ts'
import { openVideo } from './open-video.ts'
import { decodePosterFrame } from './poster-frame.ts'
import { readTraits } from './traits.ts'

/** Facts and poster from one open file and one decoded picture. */
export async function inspect({ path, poster }: { path: string; poster?: PosterWish }): Promise<VideoFacts> {
  await using video = await openVideo(path)
  using frame = poster ? await decodePosterFrame(video) : await decodeEarlyFrame(video)
  const traits = readTraits(video, frame)
  const facts = describeVideo(traits)
  if (!poster) return facts
  const { filter } = jpegFilter(traits.source, poster.room)
  using picture = await filterFrame(frame, filter)
  await writeJpeg(picture, poster.path, 2)
  return facts
}
