import { after } from 'node:test'
import { createImageEngine, type ImageEngine } from '#engines/images/image-engine.ts'
import { type Cleaner, createCleaner } from '#engines/metadata/cleaner.ts'

const engine = createImageEngine()
const cleaner = createCleaner()
after(() => Promise.all([engine.close(), cleaner.close()]))

/** One engine for all apps of a test file, because a decoder process takes longer to start than most tests take to run. */
export function shareImageEngine(): ImageEngine {
  const { tracked, settle } = trackTasks()
  return {
    process: tracked(engine.process),
    inspect: tracked(engine.inspect),
    render: tracked(engine.render),
    convert: tracked(engine.convert),
    cutOut: tracked(engine.cutOut),
    edit: tracked(engine.edit),
    shrink: tracked(engine.shrink),
    close: settle,
  }
}

export function shareCleaner(): Cleaner {
  const { tracked, settle } = trackTasks()
  return { clean: tracked(cleaner.clean), close: settle }
}

/** An app's folder is deleted after it was closed, so its running tasks must end first. */
function trackTasks() {
  const running = new Set<Promise<unknown>>()
  return {
    tracked:
      <Input, Result>(work: (input: Input) => Promise<Result>) =>
      (input: Input) => {
        const result = work(input)
        running.add(result)
        const untrack = () => running.delete(result)
        result.then(untrack, untrack)
        return result
      },
    async settle() {
      await Promise.allSettled(running)
    },
  }
}
