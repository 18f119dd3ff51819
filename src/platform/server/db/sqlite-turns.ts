import { setImmediate as nextTurn } from 'node:timers/promises'
import type { KyselyPlugin, PluginTransformQueryArgs, PluginTransformResultArgs } from 'kysely'

const longestTurnMs = 8

/**
 * [Note: Long work takes turns]
 * A query on `node:sqlite` ends before its promise is looked at, so a loop over ten thousand rows would be one long turn
 * of the event loop: no other request would be heard until it ends. After some milliseconds of queries the loop is
 * therefore let go once.
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
