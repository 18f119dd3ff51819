/** What it takes until every current browser plays the video. */
export type Playable = 'as-is' | 'remux' | 'transcode'

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
 * H.264 8-bit 4:2:0 with AAC or MP3 in MP4 plays everywhere; VP9 nearly so. HEVC and AV1 depend on the machine, and AVI
 * keeps no presentation times, so its packets cannot be put into another container as they are.
 */
export function playableAs(tracks: Tracks): Playable {
  if (tracks.container === 'avi' || !isVideoPlayable(tracks)) return 'transcode'
  return tracks.container === 'mp4' && hasPlayableSound(tracks) ? 'as-is' : 'remux'
}

/** Whether the sound may be copied into an MP4; otherwise it becomes AAC beside the copied picture. */
export const canCopyAudio = (audioCodec: string) => mp4Audio.includes(audioCodec)

const isVideoPlayable = ({ videoCodec, pixelFormat, isHdr }: Tracks) =>
  !isHdr && eightBit420.includes(pixelFormat) && ['h264', 'vp9'].includes(videoCodec)

const hasPlayableSound = ({ audioCodec }: Tracks) => audioCodec === null || canCopyAudio(audioCodec)
