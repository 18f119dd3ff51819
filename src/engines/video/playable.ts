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
const webmAudio = ['opus', 'vorbis']

/**
 * H.264 8-bit 4:2:0 with AAC or MP3 in MP4 plays everywhere; VP8 and VP9 nearly so. HEVC and AV1 depend on the
 * machine, and AVI keeps no presentation times, so its packets cannot be put into another container as they are.
 */
export function playableAs(tracks: Tracks): Playable {
  if (tracks.container === 'avi' || !isVideoPlayable(tracks)) return 'transcode'
  if (tracks.container === 'webm') return isAudioIn(tracks, webmAudio) ? 'as-is' : 'remux'
  if (tracks.container === 'mp4' && isAudioIn(tracks, mp4Audio)) return 'as-is'
  return 'remux'
}

/** Whether the sound may be copied into an MP4; otherwise it becomes AAC beside the copied picture. */
export const canCopyAudio = (audioCodec: string) => mp4Audio.includes(audioCodec)

function isVideoPlayable({ container, videoCodec, pixelFormat, isHdr }: Tracks) {
  if (isHdr || !eightBit420.includes(pixelFormat)) return false
  return videoCodec === 'h264' || videoCodec === 'vp9' || (videoCodec === 'vp8' && container === 'webm')
}

const isAudioIn = ({ audioCodec }: Tracks, codecs: string[]) => audioCodec === null || codecs.includes(audioCodec)
