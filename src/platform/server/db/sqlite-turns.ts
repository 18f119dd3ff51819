import { setImmediate as nextTurn } from 'node:timers/promises'
import type { KyselyPlugin, PluginTransformQueryArgs, PluginTransformResultArgs } from 'kysely'

const longestTurnMs = 8

/**
 * [Note: Long loops yield to other requests]
 * Queries on `node:sqlite` are synchronous, so a loop over ten thousand of them would block the event loop and every other
 * request. After some milliseconds of queries the next one therefore yields to the event loop first.
 */
export function createTurns() {
  let turnBegan = performance.now()
  const isOver = () => performance.now() - turnBegan > longestTurnMs
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }: PluginTransformQueryArgs) => node,
    async transformResult({ result }: PluginTransformResultArgs) {
      if (isOver()) {
        await nextTurn()
        turnBegan = performance.now()
      }
      return result
    },
  }
  return { isOver, plugin }
}
