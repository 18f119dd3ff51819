import { stat } from 'node:fs/promises'

const everyMs = 2_000

/**
 * Tells every few seconds that a conversion goes on, so that it is not taken for one that hangs: a step was done, or the
 * new file was written to. The latter is all that happens at the end, when the index is moved to the front, which on a slow
 * disk takes minutes.
 */
export function startPulse(outputPath: string, tell: () => void): Disposable & { step(): void } {
  let steps = 0
  let told = ''
  const timer = setInterval(async () => {
    const { mtimeMs } = await stat(outputPath).catch(() => ({ mtimeMs: 0 })) // not begun yet
    const now = `${steps} ${mtimeMs}`
    if (now !== told) tell()
    told = now
  }, everyMs)
  return { step: () => void steps++, [Symbol.dispose]: () => clearInterval(timer) }
}
