import type { WebsiteContext } from '#engines/ai/provider.ts'
import { announceMedia } from '#features/media/server/announce.ts'
import { type PutBack, undoChange } from '#features/media/server/history.ts'
import { asOwned, type Owned } from '#features/media/server/owned.ts'
import { putNamesBack } from '#features/media/server/rename.ts'
import { conflict, notFound } from '#platform/errors.ts'
import type { Db, RunItemState } from '#platform/server/db/tables.ts'
import { stopRun } from '#platform/server/runs/runs.ts'
import {
  countItems,
  findRun,
  findRunByKey,
  isUnderWay,
  listErrors,
  listItems,
  type Run,
} from '#platform/server/runs/runs-store.ts'
import { countOf } from '#shared/count.ts'
import type { AiRun, PastRun } from '../../contract.ts'
import { putAltTextsBack } from '../alt-texts/put-alt-texts-back.ts'
import type { AnalysisServices } from '../analyze-media.ts'
import { revertLast } from '../revert.ts'

/**
 * [Note: AI runs]
 * A run either applies its results, or keeps them as suggestions in the state "found" until its owner reviews them. Applying
 * the accepted ones is another kind of work on the same items. AI Rename has ended when it is recorded, and can be undone.
 */
export const tagKind = 'ai-tag-run'
export const applyKind = 'ai-apply-run'
export const renameKind = 'ai-rename-run'
export const altTextKind = 'ai-alt-text-run'
export const applyAltTextKind = 'ai-apply-alt-text-run'
/** Work that suggests, and work that applies what was accepted. */
export const findingKinds: string[] = [tagKind, altTextKind]
const applyingKinds: string[] = [applyKind, applyAltTextKind]
export const runKinds: string[] = [...findingKinds, ...applyingKinds, renameKind]

export const isOfAltTexts = ({ kind }: Pick<Run, 'kind'>) => kind === altTextKind || kind === applyAltTextKind

/** With the website as it was when the run started; a run goes on when the website is deleted. */
export type TagOptions = { review: boolean; website?: WebsiteContext }
export type AltTextOptions = { languages: string[]; overwrite: boolean; website?: WebsiteContext }

const maxErrors = 1000

export async function loadOwnedRun(db: Db, ownerId: number, key: string): Promise<Owned<Run>> {
  const run = await findRunByKey(db, key)
  if (run?.owner_id !== ownerId || !runKinds.includes(run.kind)) throw notFound('Run')
  return asOwned(run)
}

export async function describeRun(db: Db, id: number): Promise<AiRun> {
  const run = await findRun(db, id)
  if (!run) throw notFound('Run')
  return toAiRun(run, await countItems(db, [run]))
}

function toAiRun(run: Run, countsByRun: Map<number, Record<RunItemState, number>>): AiRun {
  const { found, done, failed } = countsByRun.get(run.id)!
  return {
    runId: run.key ?? '',
    kind: run.kind === renameKind ? 'rename' : isOfAltTexts(run) ? 'alt-text' : 'tag',
    status: statusOf(run, found),
    total: run.total,
    successful: found + done,
    failed,
  }
}

/** `found` is the number of suggestions that were not applied. */
function statusOf(run: Run, found: number): AiRun['status'] {
  const isFinding = findingKinds.includes(run.kind)
  if (isFinding && run.status === 'running') return 'running'
  if (applyingKinds.includes(run.kind) && isUnderWay(run)) return 'applying'
  const hasProposals = isFinding && found > 0
  if (run.undone_at !== null) return hasProposals ? 'discarded' : 'reverted'
  if (hasProposals) return 'review'
  return isFinding && ['stopping', 'stopped'].includes(run.status) ? 'cancelled' : 'done'
}

/** The history, without runs that wait for a review or whose suggestions were discarded. */
export async function listPastRuns(db: Db, ownerId: number, limit: number): Promise<PastRun[]> {
  const runs = await db
    .selectFrom('runs')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('kind', 'in', runKinds)
    .where(({ or, eb, not, exists, selectFrom }) => {
      const items = selectFrom('run_items').select('position').whereRef('run_id', '=', 'runs.id')
      const hasProposals = exists(items.where('state', '=', 'found'))
      return or([eb('kind', 'not in', findingKinds), eb('status', '=', 'running'), not(hasProposals)])
    })
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  const counts = await countItems(db, runs)
  return runs.map((run) => ({ ...toAiRun(run, counts), createdAt: new Date(run.created_at).toISOString() }))
}

export async function listRunErrors(db: Db, id: number) {
  const run = await findRun(db, id)
  if (!run) return []
  const failed = await listItems(db, id, { state: 'failed', limit: maxErrors })
  const waiting = run.error === null ? [] : await listItems(db, id, { state: 'waiting', limit: maxErrors })
  const errors = listErrors(run, [...failed, ...waiting]).slice(0, maxErrors)
  return errors.map(({ media_id, error }) => ({ id: media_id!, message: error }))
}

/** Only the analysis can be stopped; applying a review continues to its end. */
export async function stopTagging(services: Pick<AnalysisServices, 'db' | 'events'>, run: Owned<Run>): Promise<AiRun> {
  if (findingKinds.includes(run.kind)) await stopRun(services, run)
  return describeRun(services.db, run.id)
}

const notRevertible: Partial<Record<AiRun['status'], string>> = {
  running: 'Please stop the run first.',
  review: 'This run has not changed anything yet.',
  applying: 'This run is being applied. Please wait until that is done.',
  discarded: 'This run has not changed anything.',
}

const alreadyReverted = 'This run has already been reverted.'
/** Reverting an analysis takes several statements per item, during which other writers wait. */
const revertedAtOnce = 25

/** Restores each item's values from before the run, except those changed since; see [Note: Undo never overwrites]. */
export async function revertRun({ db, events }: Pick<AnalysisServices, 'db' | 'events'>, run: Owned<Run>) {
  const { status } = await describeRun(db, run.id)
  if (status !== 'done' && status !== 'cancelled') throw conflict(notRevertible[status] ?? alreadyReverted)
  const { undone } = await undoChange(db, run, {
    putBack: (now) => {
      if (isOfAltTexts(now)) return putAltTextsBack
      return now.kind === renameKind ? putNamesBack : revertAnalyses(now.key)
    },
    alreadyUndone: alreadyReverted,
    itemsAtOnce: revertedAtOnce,
  })
  await announceMedia(events, run.owner_id!, undone)
  const message = `${countOf(undone.length, 'item')} reverted.`
  return { message, reverted: undone.length, run: await describeRun(db, run.id) }
}

const revertAnalyses =
  (runKey: string | null): PutBack =>
  async (transaction, items) => {
    const reverted: number[] = []
    for (const { media_id } of items)
      if (await revertLast(transaction, media_id!, runKey ?? undefined)) reverted.push(media_id!)
    return reverted
  }
