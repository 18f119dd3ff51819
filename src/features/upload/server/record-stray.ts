import { setTimeout as delay } from 'node:timers/promises'
import type { Db } from '#platform/server/db/tables.ts'

type Stray = { sha256: string; bytes: number }

/** A full disk is seldom full for an hour; after that the janitor's daily look finds them as well. */
const waitsMs = [1000, 10_000, 60_000, 600_000, 3600_000]

/**
 * Bytes that were kept for an item that did not come about: a row that nothing points to shows them to the janitor. When
 * not even that row can be written, it is written as soon as it can be, and nobody waits for it.
 */
export async function recordStray(db: Db, stray: Stray) {
  if (!(await isRecorded(db, stray))) void recordLater(db, stray)
}

async function recordLater(db: Db, stray: Stray) {
  for (const waitMs of waitsMs) {
    await delay(waitMs, undefined, { ref: false })
    if (await isRecorded(db, stray)) return
  }
}

/** A row that is there already stays as it is: it may say that the bytes were lost, and nobody knows whether they came. */
function isRecorded(db: Db, { sha256, bytes }: Stray) {
  const row = { sha256, bytes, created_at: Date.now() }
  const written = db
    .insertInto('blobs')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return written.then(
    () => true,
    () => false,
  )
}
