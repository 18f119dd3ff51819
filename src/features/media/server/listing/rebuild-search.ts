import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Kysely } from 'kysely'
import { loadSetting, saveSetting } from '#platform/server/db/settings.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import type { Jobs } from '#platform/server/jobs/jobs.ts'
import { chunksOf } from '#shared/chunks.ts'
import { indexMedia } from './search-documents.ts'

type Services = { db: Kysely<Tables>; jobs: Jobs; log: FastifyBaseLogger }

const kind = 'rebuild-search'
const itemsKind = 'index-media'
const setting = 'search-index'
/** Raised when documents of an earlier version would not be found by everything that searches ask for today. */
const version = 2
const done = `${version}`
const batch = 100

/**
 * [Note: The search index has a version]
 * After an upgrade the documents are written again by a job, newest items first, while the product is in use. Until it ends,
 * older items are found by their words as before, but not by what is new. A restart continues where the job stopped.
 */
export async function workOnSearch({ db, jobs, log }: Services) {
  jobs.work(kind, { concurrency: 1 }, async (_payload, { signal }) => {
    const count = await rebuildSearch(db, signal)
    log.info({ items: count }, 'search index rebuilt')
  })
  jobs.work(itemsKind, { concurrency: 1 }, async ({ mediaIds }: { mediaIds: number[] }, { signal }) => {
    for (const part of chunksOf(mediaIds, batch))
      await inTurn(signal, () => db.transaction().execute((transaction) => indexMedia(transaction, part)))
  })
  if ((await loadSetting(db, setting)) === done) return
  const first = await db.selectFrom('media').select('id').limit(1).executeTakeFirst()
  if (first) await jobs.enqueue(db, kind, {}, { key: kind })
  else await saveSetting(db, setting, done)
}

/** For more items than one transaction should index. */
export const indexLater = (jobs: Jobs, transaction: Db, mediaIds: number[]) =>
  jobs.enqueue(transaction, itemsKind, { mediaIds })

/** Half of the time belongs to requests. */
async function inTurn<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted()
  const begun = performance.now()
  const result = await work()
  await delay(performance.now() - begun, undefined, { signal })
  return result
}

async function rebuildSearch(db: Kysely<Tables>, signal: AbortSignal) {
  let count = 0
  for (;;) {
    const ids = await inTurn(signal, () =>
      db.transaction().execute(async (transaction) => {
        const [known, before] = ((await loadSetting(transaction, setting)) ?? '').split(' before ')
        if (known === done && before === undefined) return []
        let rows = transaction.selectFrom('media').select('id').orderBy('id', 'desc').limit(batch)
        if (known === done) rows = rows.where('id', '<', Number(before))
        const found = (await rows.execute()).map(({ id }) => id)
        await indexMedia(transaction, found)
        await saveSetting(transaction, setting, found.length > 0 ? `${done} before ${found.at(-1)}` : done)
        return found
      }),
    )
    if (ids.length === 0) return count
    count += ids.length
  }
}
