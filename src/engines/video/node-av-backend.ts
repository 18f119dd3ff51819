import { availableParallelism } from 'node:os'
import { createProcessPool } from '#platform/server/process-pool/process-pool.ts'
import { conversionTimeoutMs } from './conversion-time.ts'
import type { VideoFacts } from './video-facts.ts'
import type { Sprite, VideoBackend, VideoTask } from './video-tasks.ts'

const entry = new URL('./video-worker.ts', import.meta.url)

/**
 * Two pools: a look at a video takes milliseconds and must never wait for a conversion, which takes minutes, runs
 * alone and gives way to everything else.
 */
export function createNodeAvBackend({ env }: { env?: Record<string, string> } = {}): VideoBackend {
  const looks = createProcessPool<VideoTask, unknown>({
    entry,
    env,
    size: Math.min(2, availableParallelism()),
    timeoutMs: 30_000,
  })
  const conversions = createProcessPool<VideoTask, unknown>({
    entry,
    env,
    size: 1,
    timeoutMs: 60_000,
    idleMs: 10_000,
    niceness: 19,
  })
  return {
    // What a worker answers is what `handleTask` returned for that kind.
    inspect: (input) => looks.run({ kind: 'inspect', ...input }) as Promise<VideoFacts>,
    sprite: (input) => looks.run({ kind: 'sprite', ...input }, { timeoutMs: 60_000 }) as Promise<Sprite>,
    sceneFrames: (input) => looks.run({ kind: 'sceneFrames', ...input }, { timeoutMs: 60_000 }) as Promise<string[]>,
    async convert({ path, outputPath, method, facts, onProgress, signal }) {
      await conversions.run(
        { kind: 'convert', path, outputPath, method },
        { timeoutMs: conversionTimeoutMs(facts), signal, onProgress: (fraction) => onProgress(Number(fraction)) },
      )
    },
    async close() {
      await Promise.all([looks.close(), conversions.close()])
    },
  }
}
