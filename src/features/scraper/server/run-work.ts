import type { Kysely } from 'kysely'
import type { Tables } from '#platform/server/db/tables.ts'
import { limitConcurrency } from '#shared/concurrency.ts'
import { sourceAddress } from './address-key.ts'
import { deleteFindsBefore, insertSource } from './finds-store.ts'
import { announceRun, enqueueRun, type RunPayload, runKind } from './runs.ts'
import {
  completeRun,
  countItems,
  type Ending,
  findRun,
  finishItem,
  type ItemRow,
  listItems,
  type RunRow,
} from './store.ts'
import { type TakeServices, takeImage } from './take-image.ts'
import { deleteRunsBefore, endAbandonedRuns, endRun } from './tidy-store.ts'

const runsAtOnce = 3
/** One place is left for others, however slow the sites of one person are. */
const runsAtOnceOfOnePerson = runsAtOnce - 1
const lookAgainMs = 3000
/** So long a job begins with further images; then others have their turn. */
const jobMs = 5 * 60_000
const imagesAtOnce = 4
/** A long run goes on as one job after another, so that a few restarts on the way do not use up its attempts. */
const imagesPerJob = 60
const hourMs = 3600_000

export async function workOnScrapes(services: TakeServices) {
  const { jobs, db } = services
  /** Whose runs are under way in this process. */
  const busy: number[] = []
  const onGivenUp = ({ runId }: RunPayload) => giveUpRun(services, runId)
  jobs.work<RunPayload>(runKind, { concurrency: runsAtOnce, onGivenUp }, async ({ runId }, { signal }) => {
    const run = await findRun(db, runId)
    if (!run || run.status === 'complete') return
    const underWay = busy.filter((ownerId) => ownerId === run.owner_id).length
    if (underWay >= runsAtOnceOfOnePerson) return enqueueRun(jobs, db, runId, Date.now() + lookAgainMs)
    busy.push(run.owner_id)
    try {
      await continueRun(services, run, signal)
    } finally {
      busy.splice(busy.indexOf(run.owner_id), 1)
    }
  })
  jobs.work('tidy-scrapes', { concurrency: 1 }, () => tidyScrapes(db))
  await jobs.schedule('tidy-scrapes', '41 * * * *')
}

/** Takes in the next images of a run, four at once; one that fails is noted and stops no other. */
async function continueRun(services: TakeServices, run: RunRow, signal: AbortSignal) {
  const { db, jobs, events } = services
  const until = Date.now() + jobMs
  const items = await listItems(db, run.id, 'waiting', imagesPerJob)
  const { successCount, errorCount } = await countItems(db, run.id)
  let turn = successCount + errorCount
  let lastBegan = 0
  const inTurn = limitConcurrency(imagesAtOnce)
  const noteInTurn = limitConcurrency(1)

  const outcomes = await Promise.allSettled(
    items.map((item) =>
      inTurn(async () => {
        signal.throwIfAborted()
        if (Date.now() > until) return
        // No two of them at the same moment: they stand in the order in which they were chosen, whichever arrives first.
        lastBegan = Math.max(Date.now(), lastBegan + 1)
        const ending = await takeImage(services, { run, item, beganAt: lastBegan, signal })
        if (!ending) return
        await noteInTurn(() => note(db, { run, item, ending, turn: ++turn }))
        await announceRun(events, run)
      }),
    ),
  )
  const failure = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failure) throw failure.reason

  const { waitingCount } = await countItems(db, run.id)
  if (waitingCount > 0) return enqueueRun(jobs, db, run.id)
  await completeRun(db, run.id)
  await announceRun(events, run)
}

/** What is left of it has failed, and whoever follows it is told. */
async function giveUpRun({ db, events }: Pick<TakeServices, 'db' | 'events'>, runId: number) {
  const run = await findRun(db, runId)
  if (!run) return
  await endRun(db, runId)
  await announceRun(events, run)
}

type Noted = { run: RunRow; item: ItemRow; ending: Ending; turn: number }

async function note(db: Kysely<Tables>, { run, item, ending, turn }: Noted) {
  await db.transaction().execute(async (transaction) => {
    await finishItem(transaction, item.id, ending, turn)
    if (ending.status === 'failed') return
    const address = sourceAddress(item.address, run.page_url)
    await insertSource(transaction, { ownerId: run.owner_id, address, mediaId: ending.mediaId })
  })
}

/** Forgets what was shown a day ago and what ended a week ago; a run that no job carries any more is ended. */
export async function tidyScrapes(db: Kysely<Tables>) {
  const now = Date.now()
  await deleteFindsBefore(db, now - 24 * hourMs)
  await deleteRunsBefore(db, now - 7 * 24 * hourMs)
  await endAbandonedRuns(db, now - hourMs)
}
