import { displaySize, h264Filter, jpegFilter, type PictureSource } from '../filters.ts'
import { canCopyAudio } from '../playable.ts'
import { type ConversionMethod, type PosterWish, recipe } from '../video-tasks.ts'
import { inputArguments, type ProbedVideo } from './ffprobe.ts'

const quiet = ['-v', 'error', '-nostdin', '-y']
/** About the work that is worth more than a few key pictures: see `pick-frames.ts`. */
const maxPixelsDecodedInFull = 600 * 1920 * 1080

/** ffmpeg turns pictures upright by itself, before our filters. */
export function uprightSource(source: PictureSource): PictureSource {
  const { width, height } = displaySize(source)
  return {
    ...source,
    codedWidth: width,
    codedHeight: height,
    pixelAspect: 1,
    orientation: { rotation: 0, filters: [] },
  }
}

/** Passes on only what is not black: a fiftieth of the picture or more is brighter than 40 of 255. */
const lightOnly = 'blackframe=amount=0:threshold=40,metadata=select:key=lavfi.blackframe.pblack:value=98:function=less'

type PosterTry = { path: string; poster: PosterWish; seconds: number; mayBeDark: boolean }

export function posterArguments(video: ProbedVideo, { path, poster, seconds, mayBeDark }: PosterTry) {
  const { filter: draw } = jpegFilter(uprightSource(video.traits.source), poster.room)
  const filter = mayBeDark ? draw : `${draw},${lightOnly}`
  // Whoever is still in the dark after two minutes is shown so.
  const limit = mayBeDark ? [] : ['-t', '120']
  const seek = ['-ss', seconds.toFixed(3), '-noaccurate_seek', '-skip_frame', 'nokey']
  return [...quiet, ...seek, ...limit, ...picture(video, path), '-vf', filter, ...jpeg(2), poster.path]
}

/** No more pictures than the video has. */
export function spriteShape({ traits: { durationSeconds, framesPerSecond } }: ProbedVideo) {
  const pictures = Math.round(durationSeconds * framesPerSecond) || recipe.spriteFrames
  const frames = Math.min(recipe.spriteFrames, pictures)
  return { frames, columns: Math.min(recipe.spriteColumns, frames) }
}

export function spriteArguments(video: ProbedVideo, input: { path: string; outputPath: string }) {
  const { filter } = jpegFilter(uprightSource(video.traits.source), recipe.spriteEdge, 2)
  const { frames, columns } = spriteShape(video)
  const filters = [
    spread(video, frames),
    filter,
    `tpad=stop_mode=clone:stop=${frames}`,
    `tile=${columns}x${Math.ceil(frames / columns)}:nb_frames=${frames}`,
  ]
  const from = [...keyPicturesOnly(video), ...picture(video, input.path)]
  return [...quiet, ...from, '-vf', filters.join(','), ...jpeg(5), input.outputPath]
}

/**
 * Passes on only what differs from the last by 4 of 255 in every second block: the same scene twice would be paid for twice.
 * Their times are counted anew, since ffmpeg fills gaps with what came before.
 */
const anotherScene = 'mpdecimate=hi=16384:lo=256:frac=0.5,setpts=N/FRAME_RATE/TB'

export function sceneArguments(video: ProbedVideo, input: { path: string; pattern: string; max: number }) {
  const { filter } = jpegFilter(uprightSource(video.traits.source), recipe.sceneEdge)
  const from = [...keyPicturesOnly(video), ...picture(video, input.path)]
  const limit = ['-frames:v', String(input.max), '-q:v', '3', '-f', 'image2']
  return [...quiet, ...from, '-vf', `${spread(video, input.max)},${anotherScene},${filter}`, ...limit, input.pattern]
}

export function convertArguments(
  video: ProbedVideo,
  input: { path: string; outputPath: string; method: ConversionMethod },
) {
  const { traits, soundIndex, demuxer } = video
  const isSoundCopied = demuxer !== 'avi' && canCopyAudio(traits.audioCodec ?? '')
  const sound = isSoundCopied ? ['-c:a', 'copy'] : ['-c:a', 'aac', '-b:a', '128k', '-ac', '2', '-ar', '48000']
  return [
    ...quiet,
    ...picture(video, input.path),
    ...(soundIndex === null ? [] : ['-map', `0:${soundIndex}`, ...sound]),
    ...(input.method === 'remux' ? ['-c:v', 'copy'] : encodeArguments(video)),
    ...['-map_metadata', '-1', '-map_chapters', '-1', '-movflags', '+faststart'],
    ...['-progress', 'pipe:1', '-nostats', '-f', 'mp4', input.outputPath],
  ]
}

function encodeArguments({ traits }: ProbedVideo) {
  const filter = h264Filter(uprightSource(traits.source), {
    maxEdge: recipe.playableEdge,
    maxFramesPerSecond: recipe.playableFramesPerSecond,
    framesPerSecond: traits.framesPerSecond,
  })
  const encoder = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '23', '-profile:v', 'high']
  return ['-vf', filter, ...encoder, '-g', String(recipe.keyframeInterval)]
}

const picture = ({ demuxer, pictureIndex }: ProbedVideo, path: string) => [
  ...inputArguments(demuxer),
  ...['-i', path, '-map', `0:${pictureIndex}`],
]

const jpeg = (scale: number) => ['-frames:v', '1', '-q:v', String(scale), '-f', 'image2', '-update', '1']

const spread = ({ traits }: ProbedVideo, count: number) => `fps=${(count / (traits.durationSeconds || 1)).toFixed(6)}`

function keyPicturesOnly({ traits: { source, durationSeconds, framesPerSecond } }: ProbedVideo) {
  const pixels = durationSeconds * framesPerSecond * source.codedWidth * source.codedHeight
  return pixels <= maxPixelsDecodedInFull ? [] : ['-skip_frame', 'nokey']
}
