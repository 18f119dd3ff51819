import type { Kysely } from 'kysely'
import { announceMedia } from '#features/media/server/announce.ts'
import { indexMedia } from '#features/media/server/listing/search-documents.ts'
import type { Owned } from '#features/media/server/owned.ts'
import { updateMedia } from '#features/media/server/store.ts'
import { conflict } from '#platform/errors.ts'
import type { Row, Tables } from '#platform/server/db/tables.ts'
import type { Events } from '#platform/server/events/events.ts'
import { countOf } from '#shared/count.ts'
import { sortKey } from '#shared/fold.ts'
import { revertLast } from '../revert.ts'
import { describeRun, hasGivenNames, holdRun, listRunItems, type RunRow, setRunStatus } from './runs-store.ts'

type Services = { db: Kysely<Tables>; events: Events }

const whyNot: Partial<Record<RunRow['status'], string>> = {
  running: 'Please stop the run first.',
  review: 'This run has not changed anything yet.',
  applying: 'This run is being applied. Please wait until that is done.',
  discarded: 'This run has not changed anything.',
}

const revertible: RunRow['status'][] = ['done', 'cancelled']
const alreadyBack = 'This run has already been reverted.'

/** Takes back item by item what a run did, except where something was changed since. */
export async function revertRun({ db, events }: Services, run: Owned<RunRow>) {
  if (!revertible.includes(run.status)) throw conflict(whyNot[run.status] ?? alreadyBack)
  const reverted: number[] = []
  do {
    for (const item of await listRunItems(db, run.id)) {
      const isBack = await db
        .transaction()
        .execute((transaction) =>
          run.kind === 'rename' ? renameBack(transaction, item) : revertLast(transaction, item.media_id, run.id),
        )
      if (isBack) reverted.push(item.media_id)
    }
  } while (!(await db.transaction().execute((transaction) => isAllBack(transaction, run))))
  await announceMedia(events, run.owner_id, reverted)
  const message = `${countOf(reverted.length, 'item')} reverted.`
  return { message, reverted: reverted.length, run: await describeRun(db, run.id) }
}

/** Last, so that one that was cut off can be asked for again: what is back already stays as it is. */
async function isAllBack(db: Kysely<Tables>, { id, kind }: RunRow) {
  // Held: a renaming that still goes on may have given more names, and gives none after this.
  const { status } = await holdRun(db, id)
  if (!revertible.includes(status)) throw conflict(alreadyBack)
  if (kind === 'rename' && (await hasGivenNames(db, id))) return false
  return setRunStatus(db, id, 'reverted', revertible)
}

async function renameBack(db: Kysely<Tables>, { media_id, before_value, after_value }: Row<'ai_run_items'>) {
  const row = await updateMedia(db, media_id, {})
  if (!row || before_value === null || row.filename !== after_value) return undefined
  const back = await updateMedia(db, media_id, { filename: before_value, name_key: sortKey(before_value) })
  await indexMedia(db, [media_id])
  return back
}
