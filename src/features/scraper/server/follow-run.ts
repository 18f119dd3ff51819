import type { Kysely } from 'kysely'
import type { Tables } from '#platform/server/db/tables.ts'
import type { Events } from '#platform/server/events/events.ts'
import { countOf } from '#shared/count.ts'
import type { RunProgress } from '../contract.ts'
import { createBell } from './bell.ts'
import { countItems, findRun, type ItemRow, listFinishedItems, type RunRow } from './store.ts'

type Services = { db: Kysely<Tables>; events: Events }

const itemsPerRead = 500
/** Even when a word between processes is lost, progress shows; and no proxy takes the line for dead. */
const lookAgainMs = 10_000

/**
 * What a run did and does, until it is complete or `signal` fires. It reads the run's rows, so it can begin at any time,
 * in any process, and its end changes nothing for the run. With `isReplayed` every image is told, else only what is new.
 */
export async function* followRun(
  { db, events }: Services,
  run: RunRow,
  { isReplayed, signal }: { isReplayed: boolean; signal: AbortSignal },
): AsyncGenerator<RunProgress> {
  const bell = createBell(signal)
  const unsubscribe = events.subscribe(run.owner_id, undefined, (_id, event) => {
    if (event.type === 'reset' || (event.type === 'scrape' && event.runId === run.id)) bell.ring()
  })
  try {
    let state = { turn: 0, successCount: 0, errorCount: 0, stoppedCount: 0 }
    yield tell('starting', `Starting upload of ${countOf(run.total, 'image')}...`)
    if (!isReplayed) {
      state = await stateNow()
      if (state.turn > 0) yield tell('processing', `Uploading image ${inOrder(state.turn + 1)}...`)
    }
    while (!signal.aborted) {
      // Read first: what ends after this is in the list or rings the bell.
      const isComplete = (await findRun(db, run.id))?.status !== 'running'
      const finished = await listFinishedItems(db, run.id, state.turn, itemsPerRead)
      for (const item of finished) {
        state.turn = item.finished_turn!
        state[item.status === 'done' ? 'successCount' : 'errorCount']++
        yield tell('processing', describeItem(item, state.turn))
      }
      if (finished.length === itemsPerRead) continue
      if (isComplete) {
        state = await stateNow()
        yield tell('complete', summary(state))
        return
      }
      const isNews = await bell.wait(lookAgainMs)
      if (!isNews && !signal.aborted) yield tell('processing', `Uploading image ${inOrder(state.turn + 1)}...`)
    }

    function tell(step: RunProgress['step'], message: string): RunProgress {
      const { successCount, errorCount, stoppedCount } = state
      const current = step === 'complete' ? run.total - stoppedCount : state.turn
      const results = { successCount, errorCount }
      return { step, message, current, total: run.total, results, stoppedCount, runId: run.id }
    }
  } finally {
    unsubscribe()
  }

  async function stateNow() {
    const { successCount, errorCount, stoppedCount } = await countItems(db, run.id)
    return { turn: successCount + errorCount, successCount, errorCount, stoppedCount }
  }

  function describeItem({ name, status, message }: Pick<ItemRow, 'name' | 'status' | 'message'>, turn: number) {
    return status === 'done' ? `Uploaded ${name} (${inOrder(turn)})` : `${name} could not be uploaded: ${message}`
  }

  function inOrder(turn: number) {
    return `${Math.min(turn, run.total)} of ${run.total}`
  }
}

type Sums = { successCount: number; errorCount: number; stoppedCount: number }

function summary({ successCount, errorCount, stoppedCount }: Sums) {
  const failed = errorCount === 0 ? '' : `, ${countOf(errorCount, 'image')} failed`
  const stopped = stoppedCount === 0 ? '' : `; ${countOf(stoppedCount, 'image was', 'images were')} not uploaded`
  return `Uploaded ${countOf(successCount, 'image')}${failed}${stopped}.`
}
