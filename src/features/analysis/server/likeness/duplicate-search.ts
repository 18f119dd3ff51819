import { Worker } from 'node:worker_threads'
import type { Kysely } from 'kysely'
import { LRUCache } from 'lru-cache'
import { codeCacheEnvironment } from '#platform/server/compile-cache.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import { listDifferent } from './dismissals-store.ts'
import type { LibraryHashes } from './group-hashes.ts'
import { describeLibrary, listHashes, listSameBytes, listVersions } from './hashes-store.ts'

const freshMs = 10_000

/** The newest item of each group comes first, and the groups are sorted by it. */
export type FindGroups = (ownerId: number) => Promise<number[][]>

/**
 * Groups the items of a library that may show the same picture. Searches again after items were added, deleted or trashed.
 */
export function createDuplicateGroups(slowReads: Kysely<Tables>): FindGroups {
  const kept = new LRUCache<string, Promise<number[][]>>({ max: 20, ttl: freshMs })
  let last: Promise<unknown> = Promise.resolve()
  return async (ownerId) => {
    const state = await describeLibrary(slowReads, ownerId)
    const known = kept.get(state)
    if (known) return known
    // One search at a time for all libraries, so that only one needs memory.
    const searching = last.then(() => searchGroups(slowReads, ownerId))
    last = searching.catch(() => {})
    kept.set(state, searching)
    searching.catch(() => kept.delete(state))
    return searching
  }
}

async function searchGroups(db: Kysely<Tables>, ownerId: number) {
  const hashes = await listHashes(db, ownerId)
  return groupOnThread({
    hashes,
    sameBytes: await listSameBytes(db, ownerId),
    different: await listDifferent(db, ownerId),
    versions: await listVersions(db, ownerId),
  })
}

/** Each search has its own thread, which frees its memory at its end and does not block requests while comparing hashes. */
async function groupOnThread(hashes: LibraryHashes): Promise<number[][]> {
  const { promise, resolve, reject } = Promise.withResolvers<number[][]>()
  const thread = new Worker(new URL('./group-hashes-thread.ts', import.meta.url), {
    workerData: hashes,
    env: codeCacheEnvironment(),
  })
  thread.once('message', resolve)
  thread.once('error', reject)
  thread.once('exit', () => reject(new Error('The duplicate search thread has ended')))
  return promise
}
