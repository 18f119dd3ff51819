import type { Kysely } from 'kysely'
import { type HubModelId, hubModelById, hubModelIds, isComplete } from '#engines/ai/hub/catalog.ts'
import { createHubEngine, type HubEngine } from '#engines/ai/hub/hub-provider.ts'
import type { AiProvider } from '#engines/ai/provider.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import { loadHubStates } from './states-store.ts'

export type Hub = {
  engine: HubEngine
  url: string
  modelsDirectory: string
  /** The models in use when `refresh` was last called; undefined if there are none. */
  provider(): AiProvider | undefined
  /** The limit for pictures that a search finds; undefined while SigLIP is not in use. */
  leastSimilarity(): number | undefined
  /** Reads which models are in use, as another process may have changed it. */
  refresh(): Promise<void>
  close(): Promise<void>
}

type Options = { url: string; modelsDirectory: string; db: Kysely<Tables> }

export function createHub({ url, modelsDirectory, db }: Options): Hub {
  const engine = createHubEngine({ modelsDirectory })
  let used: HubModelId[] = []
  let provider: AiProvider | undefined
  let leastSimilarity: number | undefined

  return {
    engine,
    url,
    modelsDirectory,
    provider: () => provider,
    leastSimilarity: () => leastSimilarity,
    async refresh() {
      const states = await loadHubStates(db)
      const now: HubModelId[] = []
      for (const id of hubModelIds) {
        // A worker with another folder, or one whose folder was emptied, goes on with the built-in AI.
        if (states[id].phase === 'used' && (await isComplete(hubModelById(id), modelsDirectory))) now.push(id)
      }
      leastSimilarity = now.includes('siglip2') ? states.siglip2.leastSimilarity : undefined
      if (now.join() === used.join()) return
      used = now
      provider = now.length > 0 ? engine.provide(now) : undefined
    },
    close: () => engine.close(),
  }
}
