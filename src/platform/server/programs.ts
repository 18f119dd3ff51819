import { accessSync, constants, statSync } from 'node:fs'

/** Whether there is a file that this process may start. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** FFmpeg comes as two programs in one folder: `/opt/ffmpeg-7` has `/opt/ffprobe-7` beside it. */
export const ffprobeBeside = (ffmpegPath: string) => ffmpegPath.replace(/ffmpeg(?=[^/\\]*$)/, 'ffprobe')
