import type { CutOutFormat } from '#features/conversion/contract.ts'
import { type BackgroundServices, removeBackground } from '#features/conversion/server/remove-background.ts'
import { throwIfNoneExists } from '#features/media/server/not-found.ts'
import { loadOwnedMedia } from '#features/media/server/store.ts'
import { notFound } from '#platform/errors.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { type RunKind, waitForRun } from '#platform/server/runs/runs.ts'
import { findRun, findRunByKey, listErrors, listItems, type RunItem } from '#platform/server/runs/runs-store.ts'
import { countOf } from '#shared/count.ts'
import { changeKey, type ItemRunRequest, startItemRun } from './item-runs.ts'

const backgroundKind = 'bulk-remove-background'

type Options = { format: CutOutFormat }

export function backgroundRemovals(services: BackgroundServices): RunKind {
  return {
    kind: backgroundKind,
    runsAtOnce: 1,
    itemsAtOnce: 1,
    itemsPerJob: 10,
    interrupted: 'The run was interrupted.',
    begin: ({ owner_id, key, options }) => {
      const { format } = JSON.parse(options) as Options
      return async ({ input }, mark) => {
        const media = await loadOwnedMedia(services.db, owner_id!, Number(input))
        const alsoWrite = (transaction: Db) => mark(transaction, { output: 'added' })
        await removeBackground(services, media, { format, changeKey: changeKey(key!), alsoWrite })
      }
    },
  }
}

/** See [Note: A request waits for its run]. */
export async function removeBackgrounds(
  services: BackgroundServices,
  request: ItemRunRequest<Options>,
  signal: AbortSignal,
) {
  const run = await startItemRun(services, backgroundKind, request)
  await waitForRun(services, run, { signal })
  signal.throwIfAborted()
  return describeRemovals(services.db, run.id)
}

async function describeRemovals(db: Db, runId: number) {
  const run = await findRun(db, runId)
  if (!run) throw notFound('Run')
  const items = await listItems(db, runId)
  const inState = (state: RunItem['state']) => items.filter((item) => item.state === state)
  const added = inState('done').length
  const errors = listErrors(run, items).map(({ input, error }) => ({ id: Number(input), message: error }))
  const left = run.status === 'stopped' ? inState('waiting').map(({ input }) => Number(input)) : []
  if (added === 0) throwIfNoneExists({ changed: [], errors })
  const change = await findRunByKey(db, changeKey(run.key!))
  const rest = left.length > 0 ? ` ${countOf(left.length, 'item')} not processed.` : ''
  return {
    message: `${countOf(added, 'image')} without a background added.${rest}`,
    summary: { successful: added, failed: errors.length },
    errors,
    left,
    changeId: change?.undone_at === null ? change.id : undefined,
  }
}
