import { accessSync, constants, statSync } from 'node:fs'
import { format, parse } from 'node:path'

/** Whether there is a file that this process may start. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** FFmpeg comes as two programs in one folder: `/opt/ffmpeg-7` has `/opt/ffprobe-7` beside it, `/opt/encoder` has `/opt/ffprobe`. */
export function ffprobeBeside(ffmpegPath: string) {
  const { root, dir, base, ext } = parse(ffmpegPath)
  const plain = `ffprobe${ext === '.exe' ? ext : ''}`
  return format({ root, dir, base: base.includes('ffmpeg') ? base.replace('ffmpeg', 'ffprobe') : plain })
}
