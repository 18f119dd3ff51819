import { after } from 'node:test'
import { createImageEngine, type ImageEngine } from '#engines/images/image-engine.ts'

const engine = createImageEngine()
after(() => engine.close())

/** One engine for every app of a test file: a decoder's process takes longer to start than most tests to run. */
export function shareImageEngine(): ImageEngine {
  const running = new Set<Promise<unknown>>()
  const lend =
    <Input, Result>(work: (input: Input) => Promise<Result>) =>
    (input: Input) => {
      const result = work(input)
      running.add(result)
      const forget = () => running.delete(result)
      result.then(forget, forget)
      return result
    }
  return {
    process: lend(engine.process),
    inspect: lend(engine.inspect),
    render: lend(engine.render),
    convertToWebp: lend(engine.convertToWebp),
    shrink: lend(engine.shrink),
    // The folder of the app that borrowed it is about to go, so nothing may still be written there.
    async close() {
      await Promise.allSettled(running)
    },
  }
}
