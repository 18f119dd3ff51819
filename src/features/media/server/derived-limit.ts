import type { FastifyBaseLogger } from 'fastify'
import type { Storage } from '#engines/storage/storage.ts'
import type { Config } from '#platform/server/config.ts'
import type { Jobs } from '#platform/server/jobs/jobs.ts'

type Services = {
  storage: Storage
  jobs: Jobs
  log: FastifyBaseLogger
  config: Pick<Config, 'derivedBytes' | 's3'>
}

const kind = 'limit-derived-files'

/**
 * [Note: Derived files have a limit]
 * Copies that are made on request are removed when they exceed `DERIVED_GB`, those not used for the longest time first.
 * Thumbnails, strips of frames and playable videos belong to an item or to an earlier version of it, which must be shown at
 * once when it is restored. They stay, do not count, and leave with their item or version.
 */
export async function workOnDerivedLimit({ jobs, storage, log, config }: Services) {
  jobs.work(kind, { concurrency: 1 }, async () => {
    const removed = await limitDerivedFiles(storage, config.derivedBytes)
    if (removed > 0) log.info({ files: removed }, 'derived files removed')
  })
  // Listing a bucket costs money, and a bucket does not become full.
  await jobs.schedule(kind, config.s3 ? '41 * * * *' : '*/10 * * * *')
}

const isOnRequest = (key: string) => !/\/(thumbnail-|sprite\.|playable\.|preview-)/.test(key)

/** After a removal there is room for a while, so that not every sweep finds something. */
const partLeft = 0.9
const hourMs = 3600_000

/** Lists all files twice rather than holding a million of them in memory. */
export async function limitDerivedFiles({ derived }: Pick<Storage, 'derived'>, maxBytes: number) {
  const bytesByHour = new Map<number, number>()
  let excess = -maxBytes
  for await (const { key, bytes, modifiedAt } of derived.list()) {
    if (!isOnRequest(key)) continue
    const hour = Math.floor(modifiedAt.getTime() / hourMs)
    bytesByHour.set(hour, (bytesByHour.get(hour) ?? 0) + bytes)
    excess += bytes
  }
  if (excess <= 0) return 0
  excess += maxBytes * (1 - partLeft)
  let lastHour = 0
  let older = 0
  for (const [hour, bytes] of [...bytesByHour].sort(([one], [other]) => one - other)) {
    lastHour = hour
    if (older + bytes >= excess) break
    older += bytes
  }
  let removed = 0
  // All of the older hours go, and of the last one as much as is needed.
  let neededOfLast = excess - older
  for await (const { key, bytes, modifiedAt } of derived.list()) {
    const hour = Math.floor(modifiedAt.getTime() / hourMs)
    if (!isOnRequest(key) || hour > lastHour || (hour === lastHour && neededOfLast <= 0)) continue
    if (hour === lastHour) neededOfLast -= bytes
    await derived.removeOne(key)
    removed++
  }
  return removed
}
