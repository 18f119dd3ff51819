import type { Kysely } from 'kysely'
import type { Tables } from '#platform/server/db/tables.ts'
import type { Events } from '#platform/server/events/events.ts'
import { waitFor } from '#platform/server/events/wait-for.ts'
import { findRun, isUnderWay, type Run, type RunItem } from '#platform/server/runs/runs-store.ts'
import { countOf } from '#shared/count.ts'
import type { RunProgress } from '../contract.ts'
import { countImages, inputOf, listEndedImages } from './runs-store.ts'

type Services = { db: Kysely<Tables>; events: Events }

const imagesPerRead = 500
/** The last event is repeated at this interval, so that no proxy closes the connection. */
const repeatMs = 10_000

/**
 * The events of a run until it is over or `signal` fires. They come from the run's rows, so following can start at any
 * time in any process, and stopping does not affect the run. `isReplayed` includes the images that ended before.
 */
export async function* followRun(
  { db, events }: Services,
  run: Run,
  { isReplayed, signal }: { isReplayed: boolean; signal: AbortSignal },
): AsyncGenerator<RunProgress> {
  let state = { turn: 0, successCount: 0, errorCount: 0, stoppedCount: 0 }
  yield report('starting', `Starting upload of ${countOf(run.total, 'image')}...`)
  if (!isReplayed) {
    state = await loadState(run)
    if (state.turn > 0) yield report('processing', `Uploading image ${inOrder(state.turn + 1)}...`)
  }
  while (!signal.aborted) {
    // The run is read before its images, so that an image which ends in between is in the list.
    const now = await findRun(db, run.id)
    const ended = await listEndedImages(db, run.id, state.turn, imagesPerRead)
    for (const image of ended) {
      state.turn = image.turn!
      state[image.state === 'done' ? 'successCount' : 'errorCount']++
      yield report('processing', describeImage(image, state.turn))
    }
    if (ended.length === imagesPerRead) continue
    if (!now || !isUnderWay(now)) {
      state = await loadState(now ?? run)
      yield report('complete', summary(state))
      return
    }
    const isNews = await waitForNews()
    if (!isNews && !signal.aborted) yield report('processing', `Uploading image ${inOrder(state.turn + 1)}...`)
  }

  async function waitForNews() {
    let isNews = false
    await waitFor({ events, ownerId: run.owner_id!, withinMs: repeatMs, signal }, async () => {
      const now = await findRun(db, run.id)
      isNews = !now || !isUnderWay(now) || (await listEndedImages(db, run.id, state.turn, 1)).length > 0
      return isNews
    })
    return isNews
  }

  async function loadState(now: Run) {
    const counts = await countImages(db, now)
    return { ...counts, turn: counts.successCount + counts.errorCount }
  }

  function report(step: RunProgress['step'], message: string): RunProgress {
    const { successCount, errorCount, stoppedCount } = state
    const current = step === 'complete' ? run.total - stoppedCount : state.turn
    const results = { successCount, errorCount }
    return { step, message, current, total: run.total, results, stoppedCount, runId: run.id }
  }

  function describeImage(image: Pick<RunItem, 'input' | 'state' | 'error'>, turn: number) {
    const { name } = inputOf(image)
    return image.state === 'done'
      ? `Uploaded ${name} (${inOrder(turn)})`
      : `${name} could not be uploaded: ${image.error}`
  }

  function inOrder(turn: number) {
    return `${Math.min(turn, run.total)} of ${run.total}`
  }
}

type Counts = { successCount: number; errorCount: number; stoppedCount: number }

function summary({ successCount, errorCount, stoppedCount }: Counts) {
  const failed = errorCount === 0 ? '' : `, ${countOf(errorCount, 'image')} failed`
  const stopped = stoppedCount === 0 ? '' : `; ${countOf(stoppedCount, 'image was', 'images were')} not uploaded`
  return `Uploaded ${countOf(successCount, 'image')}${failed}${stopped}.`
}
