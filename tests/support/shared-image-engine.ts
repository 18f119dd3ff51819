import { after } from 'node:test'
import { createImageEngine, type ImageEngine } from '#engines/images/image-engine.ts'

const engine = createImageEngine()
after(() => engine.close())

/** One engine for all apps of a test file, because a decoder process takes longer to start than most tests take to run. */
export function shareImageEngine(): ImageEngine {
  const running = new Set<Promise<unknown>>()
  const tracked =
    <Input, Result>(work: (input: Input) => Promise<Result>) =>
    (input: Input) => {
      const result = work(input)
      running.add(result)
      const untrack = () => running.delete(result)
      result.then(untrack, untrack)
      return result
    }
  return {
    process: tracked(engine.process),
    inspect: tracked(engine.inspect),
    render: tracked(engine.render),
    convertToWebp: tracked(engine.convertToWebp),
    edit: tracked(engine.edit),
    shrink: tracked(engine.shrink),
    // The app's folder is about to be deleted, so its running tasks must end first.
    async close() {
      await Promise.allSettled(running)
    },
  }
}
