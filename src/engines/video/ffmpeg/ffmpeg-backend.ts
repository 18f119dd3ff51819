import { stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { stopping } from '#platform/errors.ts'
import { longestSilenceMs, stoodStill } from '#platform/server/process-pool/process-pool.ts'
import { ffprobeBeside } from '#platform/server/programs.ts'
import { limitConcurrency } from '#shared/concurrency.ts'
import { conversionTimeoutMs } from '../conversion-time.ts'
import { jpegFilter } from '../filters.ts'
import { startPulse } from '../pulse.ts'
import { corruptVideo } from '../refusals.ts'
import { describeVideo } from '../video-facts.ts'
import { type PosterWish, recipe, type VideoBackend } from '../video-tasks.ts'
import {
  convertArguments,
  posterArguments,
  sceneArguments,
  spriteArguments,
  spriteShape,
  uprightSource,
} from './arguments.ts'
import { type ProbedVideo, probeWith } from './ffprobe.ts'
import { runTool, type ToolRun } from './run-tool.ts'

/** The same pictures and files by the programs `ffmpeg` and `ffprobe`, for systems that node-av has no build for. */
export function createFfmpegBackend({ ffmpegPath = 'ffmpeg' }: { ffmpegPath?: string }): VideoBackend {
  const ffprobePath = ffprobeBeside(ffmpegPath)
  const closing = new AbortController()
  const lookInTurn = limitConcurrency(Math.min(2, availableParallelism()))
  const convertInTurn = limitConcurrency(1)
  const running = new Set<Promise<string>>()
  const look = { timeoutMs: 30_000, niceness: 10, signal: closing.signal } satisfies ToolRun

  async function run(tool: string, args: string[], options: ToolRun) {
    const work = runTool(tool, args, options)
    running.add(work)
    try {
      return await work
    } finally {
      running.delete(work)
    }
  }

  const probe = (path: string) => probeWith((args) => run(ffprobePath, args, look), path)
  const draw = (args: string[]) => run(ffmpegPath, ['-threads', '1', ...args], { ...look, timeoutMs: 60_000 })

  async function drawPoster(video: ProbedVideo, path: string, poster: PosterWish) {
    const wanted = Math.min(video.traits.durationSeconds * recipe.posterPosition, recipe.posterLatestSeconds)
    const tries = [
      { seconds: wanted, mayBeDark: false },
      { seconds: wanted, mayBeDark: true },
      { seconds: 0, mayBeDark: true },
    ]
    for (const attempt of tries) {
      // ffmpeg ends well, and without a file, when nothing is left after the moment.
      await draw(posterArguments(video, { path, poster, ...attempt }))
      if (await hasContent(poster.path)) return
    }
    throw corruptVideo('This video is damaged: none of its pictures can be shown.')
  }

  return {
    inspect: ({ path, poster }) =>
      lookInTurn(async () => {
        const video = await probe(path)
        const facts = describeVideo(video.traits)
        if (poster) await drawPoster(video, path, poster)
        return facts
      }),
    sprite: (input) =>
      lookInTurn(async () => {
        const video = await probe(input.path)
        await draw(spriteArguments(video, input))
        if (!(await hasContent(input.outputPath))) throw corruptVideo()
        const { width, height } = jpegFilter(uprightSource(video.traits.source), recipe.spriteEdge, 2)
        return { ...spriteShape(video), frameWidth: width, frameHeight: height }
      }),
    sceneFrames: ({ path, directory, max }) =>
      lookInTurn(async () => {
        const video = await probe(path)
        // The pattern is read by ffmpeg, so a percent sign of the folder is doubled.
        const pattern = join(directory.replaceAll('%', '%%'), 'scene-%02d.jpg')
        await draw(sceneArguments(video, { path, pattern, max }))
        return listScenes(directory, max)
      }),
    convert: ({ path, outputPath, method, facts, onProgress, signal }) =>
      convertInTurn(async () => {
        const args = convertArguments(await probe(path), { path, outputPath, method })
        using silence = watchSilence(outputPath)
        const ends = [closing.signal, silence.signal]
        await run(ffmpegPath, args, {
          timeoutMs: conversionTimeoutMs(facts),
          niceness: 19,
          signal: AbortSignal.any(signal ? [...ends, signal] : ends),
          onLine(line) {
            silence.hear(line)
            reportProgress(line, facts.durationSeconds, onProgress)
          },
        })
      }),
    async close() {
      closing.abort(stopping())
      await Promise.allSettled(running)
    },
  }
}

async function hasContent(path: string) {
  const found = await stat(path).catch(() => null)
  return found !== null && found.size > 0
}

async function listScenes(directory: string, max: number) {
  const paths = Array.from({ length: max }, (_, index) =>
    join(directory, `scene-${String(index + 1).padStart(2, '0')}.jpg`),
  )
  const isThere = await Promise.all(paths.map(hasContent))
  return paths.filter((_path, index) => isThere[index])
}

/** Newer ones print their lines twice a second whether or not they come on; so a figure counts when it is another. */
function watchSilence(outputPath: string) {
  const silent = new AbortController()
  const clock = setTimeout(() => silent.abort(stoodStill()), longestSilenceMs)
  const pulse = startPulse(outputPath, () => void clock.refresh())
  const last = new Map<string, string>()
  return {
    signal: silent.signal,
    hear(line: string) {
      const [key = '', figure = ''] = line.split('=')
      if (['frame', 'out_time_us'].includes(key) && last.get(key) !== figure) pulse.step()
      last.set(key, figure)
    },
    [Symbol.dispose]() {
      clearTimeout(clock)
      pulse[Symbol.dispose]()
    },
  }
}

/** A line such as `out_time_us=1234567`. */
function reportProgress(line: string, durationSeconds: number, onProgress: (fraction: number) => void) {
  const microseconds = Number(/^out_time_us=(\d+)$/.exec(line)?.[1])
  const fraction = microseconds / 1e6 / durationSeconds
  if (fraction > 0) onProgress(Math.min(0.99, fraction))
}
