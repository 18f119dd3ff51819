import { randomUUID } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { type ChangeCheck, ChangeRefused, outsideChange } from '#platform/server/db/change.ts'
import { dialectOf } from '#platform/server/db/dialect.ts'
import { loadSetting, saveSetting } from '#platform/server/db/settings.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'

const retryAfterSeconds = 5

export const libraryIsPaused = () =>
  new ChangeRefused('unavailable', 503, 'The library is being restored. Please try again in a moment.', {
    retryAfterSeconds,
  })

export async function isLibraryPaused(db: Db) {
  return Boolean(await db.selectFrom('restores').select('id').where('running', 'is not', null).executeTakeFirst())
}

/** Identifies the library; changes when all rows are replaced or deleted. */
export type LibraryEdition = string

const editionSetting = 'library-edition'

export async function loadEdition(db: Db): Promise<LibraryEdition> {
  return (await loadSetting(db, editionSetting)) ?? ''
}

const libraryWasReplaced = () =>
  new ChangeRefused('conflict', 409, 'The library was replaced in the meantime. Please sign in and try again.')

type LibraryState = {
  edition: LibraryEdition
  /** A restore has started, so no new change may start. */
  isPaused: boolean
  /** The restore has waited for the running changes, and none of them may write any more. */
  isClosed: boolean
}

async function loadLibraryState(db: Db): Promise<LibraryState> {
  const { rows } = await sql<{ edition: string | null; progress: number | null }>`
    SELECT
      (SELECT value FROM settings WHERE name = ${editionSetting}) AS edition,
      (SELECT progress FROM restores WHERE running IS NOT NULL) AS progress
  `.execute(db)
  const { edition, progress } = rows[0]!
  return { edition: edition ?? '', isPaused: progress !== null, isClosed: (progress ?? 0) > 0 }
}

/**
 * [Note: A change ends in the library in which it began]
 * A changing request or job records its library when it starts. Its transactions are refused once a restore has made its
 * safety backup, and in any later library, where its ids may refer to other users' items.
 */
export async function beginChange(db: Db): Promise<ChangeCheck> {
  const began = await loadLibraryState(db)
  if (began.isPaused) throw libraryIsPaused()
  return async (transaction) => {
    await dialectOf(transaction).lockShared(transaction, 'library')
    const now = await loadLibraryState(transaction)
    if (now.isClosed) throw libraryIsPaused()
    if (now.edition !== began.edition) throw libraryWasReplaced()
  }
}

/** For streamed responses: the returned function throws once the library was replaced. */
export async function watchLibrary(db: Db): Promise<() => Promise<void>> {
  const edition = await loadEdition(db)
  return async () => {
    if ((await loadEdition(db)) !== edition) throw libraryWasReplaced()
  }
}

/** Waits until every transaction of a change has ended, and blocks others until this one ends. */
export function withoutWriters<T>(db: Kysely<Tables>, work: (transaction: Db) => Promise<T>): Promise<T> {
  return outsideChange(() =>
    db.transaction().execute(async (transaction) => {
      await dialectOf(transaction).lockExclusively(transaction, 'library')
      return work(transaction)
    }),
  )
}

const maxTries = 3

/**
 * The transaction that replaces all rows. It has too many items to lock, so it locks the tables. It may deadlock with a
 * transaction that locked them in another order, and is then retried.
 */
export async function replaceAlone(db: Kysely<Tables>, replace: (transaction: Db) => Promise<void>) {
  for (let tries = 1; ; tries++) {
    try {
      return await withoutWriters(db, async (transaction) => {
        await dialectOf(transaction).lockTables(transaction, ['media', 'collections', 'users'])
        await replace(transaction)
      })
    } catch (error) {
      if (tries === maxTries || !dialectOf(db).isDeadlock(error)) throw error
    }
  }
}

/** Called inside the transaction that replaces all rows. */
export async function beginEdition(transaction: Db) {
  await saveSetting(transaction, editionSetting, randomUUID())
}
