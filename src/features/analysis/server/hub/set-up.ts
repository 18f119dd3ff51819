import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import { type HubModelId, hubModelById } from '#engines/ai/hub/catalog.ts'
import type { Examination } from '#engines/ai/hub/examination.ts'
import { fetchHubFiles } from '#engines/ai/hub/fetch-hub-files.ts'
import { AppError } from '#platform/errors.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import type { Job } from '#platform/server/jobs/jobs.ts'
import type { HubPhase } from '../../contract.ts'
import type { AnalysisServices } from '../analyze-media.ts'
import { reanalyzeLater } from './reanalyze.ts'
import { changeHubState, type HubState, unused } from './states-store.ts'

export const setUpKind = 'set-up-hub-model'
type Payload = { model: HubModelId; attempt: string }

/** While the model is being set up; stopping it leads out of these. */
const underWay: ReadonlySet<HubPhase> = new Set(['waiting', 'downloading', 'examining'])
const progressMs = 1000

/** Does nothing if the model is in use or being set up. */
export async function setUpHubModel({ db, jobs }: Pick<AnalysisServices, 'db' | 'jobs'>, model: HubModelId) {
  const attempt = randomUUID()
  await db.transaction().execute(async (transaction) => {
    const { phase } = await changeHubState(transaction, model, (state) =>
      underWay.has(state.phase) || state.phase === 'used' ? undefined : { ...unused, phase: 'waiting', attempt },
    )
    if (underWay.has(phase) || phase === 'used') return
    await jobs.enqueue(transaction, setUpKind, { model, attempt } satisfies Payload)
  })
}

/** Stops a download too. The files stay, so that using the model again needs no network. */
export async function stopHubModel(services: Pick<AnalysisServices, 'db' | 'jobs' | 'ai'>, model: HubModelId) {
  await services.db.transaction().execute(async (transaction) => {
    const { phase } = await changeHubState(transaction, model, () => unused)
    if (phase === 'used') await reanalyzeLater(transaction, services)
  })
  await services.ai.hub.refresh()
}

/** Fetches the files, examines the model and, if it passes, uses it. The job goes on after a restart where it stopped. */
export async function workOnSetUp(
  services: AnalysisServices,
  { model: id, attempt }: Payload,
  { signal }: Pick<Job, 'signal'>,
) {
  const { db, ai, log } = services
  const model = hubModelById(id)
  const stopped = new AbortController()
  const either = AbortSignal.any([signal, stopped.signal])
  const write = createStateWriter(db, { id, attempt }, () => stopped.abort())
  let doneBytes = 0
  let timer: NodeJS.Timeout | undefined
  let result: Examination
  try {
    await write({ phase: 'downloading', message: '' })
    // Also while nothing arrives, as this is how the process learns that an administrator has stopped it.
    timer = setInterval(() => void write({ doneBytes }).catch(() => {}), progressMs)
    const { url: hubUrl, modelsDirectory } = ai.hub
    await fetchHubFiles({ model, hubUrl, modelsDirectory, signal: either, onProgress: (bytes) => (doneBytes = bytes) })
    await write({ phase: 'examining', doneBytes })
    result = await ai.hub.engine.examine(id, either)
  } catch (error) {
    signal.throwIfAborted()
    if (stopped.signal.aborted) return
    log.warn({ err: error, model: id }, 'model of the hub could not be set up')
    await write({ phase: 'failed', message: sentenceFor(error) })
    return
  } finally {
    clearInterval(timer)
  }
  const { isPassed, ...examination } = result
  log.info({ model: id, ...result }, 'model of the hub was examined')
  // A model is never in use without the analysis that it is for: if the job cannot be queued, this one is tried again.
  await write({ phase: isPassed ? 'used' : 'failed', ...examination }, async (transaction) => {
    if (isPassed) await reanalyzeLater(transaction, services)
  })
  await ai.hub.refresh()
}

/** The job ended its process each time, for example because the memory did not suffice. */
export async function giveUpSetUp({ db }: Pick<AnalysisServices, 'db'>, { model: id, attempt }: Payload) {
  const message = 'The server ended several times during the setup. The model may need more memory than there is.'
  await createStateWriter(db, { id, attempt }, () => {})({ phase: 'failed', message })
}

function sentenceFor(error: unknown): string {
  if (error instanceof AppError && error.code !== 'ai-crashed') return error.message
  return 'The model could not be loaded or ended its process. It may need more memory than there is. The built-in AI is used.'
}

/** Writes only while this attempt is wanted; otherwise calls `onStopped`. */
function createStateWriter(
  db: Kysely<Tables>,
  { id, attempt }: { id: HubModelId; attempt: string },
  onStopped: () => void,
) {
  const isMine = (state: HubState) => state.attempt === attempt && underWay.has(state.phase)
  return async (change: Partial<HubState>, alsoWrite?: (transaction: Db) => Promise<void>) => {
    const before = await db.transaction().execute(async (transaction) => {
      const state = await changeHubState(transaction, id, (current) => (isMine(current) ? change : undefined))
      if (isMine(state)) await alsoWrite?.(transaction)
      return state
    })
    if (!isMine(before)) onStopped()
  }
}
