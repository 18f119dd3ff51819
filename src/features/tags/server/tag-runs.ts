import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import { announceMedia } from '#features/media/server/announce.ts'
import { recordInChange } from '#features/media/server/history.ts'
import { indexMedia } from '#features/media/server/listing/search-documents.ts'
import { lockOwnedMedia } from '#features/media/server/store.ts'
import { conflict } from '#platform/errors.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import type { Events } from '#platform/server/events/events.ts'
import type { Jobs } from '#platform/server/jobs/jobs.ts'
import { type RunKind, startRun, waitForRun } from '#platform/server/runs/runs.ts'
import { findRun, findRunByKey, isUnderWay, type Run, underWay } from '#platform/server/runs/runs-store.ts'
import { countOf } from '#shared/count.ts'
import type { TagOutcome } from '../contract.ts'
import { editTags, type TagEdit } from './edit-tags.ts'
import { followTags } from './naming-searches.ts'
import { MovedColors, moveColors } from './tag-settings.ts'

type RunServices = { db: Kysely<Tables>; jobs: Jobs; events: Events }

export const tagRunKind = 'edit-tags'

/** Items per transaction: few enough that other writers do not wait long. */
const batch = 50
/** Afterwards the page is told that the rest goes on. */
const maxWaitMs = 20_000

const Options = z.object({
  title: z.string(),
  from: z.array(z.string()),
  into: z.string().nullable(),
  colors: MovedColors,
})

const itemsWith = (db: Db, ownerId: number, tags: string[]) =>
  db.selectFrom('media_tags').where('owner_id', '=', ownerId).where('tag', 'in', tags)

/**
 * [Note: Edited tags]
 * A tag can be on every item of a library, so an edit is a run. Each of its items is a batch: the next items that still have
 * one of the tags, and the run ends when none is left. What it changes becomes one entry in the history.
 */
export function tagRuns({ db, events }: Pick<RunServices, 'db' | 'events'>): RunKind {
  return {
    kind: tagRunKind,
    runsAtOnce: 2,
    runsAtOncePerOwner: 1,
    itemsAtOnce: 1,
    itemsPerJob: 20,
    interrupted: 'The change of the tags was interrupted.',
    async findItems({ owner_id, options }) {
      const { from } = Options.parse(JSON.parse(options))
      const rest = await itemsWith(db, owner_id!, from).select('media_id').limit(1).executeTakeFirst()
      return rest ? [{}] : []
    },
    begin: ({ id, owner_id, options }) => {
      const ownerId = owner_id!
      const { title, colors, ...edit } = Options.parse(JSON.parse(options))
      return async (_item, mark) => {
        const changed = await db.transaction().execute(async (transaction) => {
          const next = itemsWith(transaction, ownerId, edit.from).select('media_id').distinct().limit(batch)
          const ids = (await next.execute()).map(({ media_id }) => media_id)
          const media = ids.length > 0 ? await lockOwnedMedia(transaction, ownerId, ids) : []
          const { items } = await editTags(transaction, media, edit)
          const change = { ownerId, kind: 'tag-edit', title, key: changeKey(id), options: { colors } }
          if (items.length > 0) await recordInChange(transaction, change, items)
          const changedIds = items.map(({ mediaId }) => mediaId)
          await indexMedia(transaction, changedIds)
          await mark(transaction)
          return changedIds
        })
        await announceMedia(events, ownerId, changed)
      }
    },
  }
}

const changeKey = (runId: number) => `${tagRunKind}/${runId}/change`

/** Two edits at the same time could each find the items that the other has just changed. */
export async function refuseWhileEditing(db: Db, ownerId: number) {
  const runs = db.selectFrom('runs').select('id').where('owner_id', '=', ownerId).where('kind', '=', tagRunKind)
  if (await runs.where('status', 'in', underWay).limit(1).executeTakeFirst())
    throw conflict('A change of your tags is still running. Wait until it ends, or stop it in the history.')
}

type Asked = TagEdit & { title: string; message: (items: number) => string }

/** `alsoWrite` belongs to the same transaction as the start. */
export async function runTagEdit(
  services: RunServices,
  ownerId: number,
  { title, message, ...edit }: Asked,
  alsoWrite: (transaction: Db) => Promise<void> = async () => {},
): Promise<TagOutcome> {
  const { db, jobs } = services
  const { run, followed } = await db.transaction().execute(async (transaction) => {
    await refuseWhileEditing(transaction, ownerId)
    const options = { ...edit, title: title.slice(0, 300), colors: await moveColors(transaction, ownerId, edit) }
    const followed = await followTags(transaction, ownerId, edit)
    await alsoWrite(transaction)
    const batches = Math.ceil((await countItems(transaction, ownerId, edit.from)) / batch)
    const items = Array.from({ length: batches }, () => ({}))
    const wanted = { kind: tagRunKind, ownerId, key: randomUUID(), title: options.title, options }
    return { run: await startRun(transaction, jobs, wanted, items), followed }
  })
  await waitForRun(services, run, { withinMs: maxWaitMs })
  return describe(db, run, (items) => message(items) + followed)
}

/** As counted by triggers, so without those in the trash; the run finds the others at its end. */
async function countItems(db: Db, ownerId: number, tags: string[]) {
  const facets = db.selectFrom('facets').select('item_count').where('owner_id', '=', ownerId).where('kind', '=', 'tag')
  const rows = await facets.where('value', 'in', tags).execute()
  return rows.reduce((sum, { item_count }) => sum + item_count, 0)
}

async function describe(db: Db, { id }: Run, message: Asked['message']): Promise<TagOutcome> {
  const run = await findRun(db, id)
  const change = await findRunByKey(db, changeKey(id))
  const changed = change?.total ?? 0
  const outcome = { changed, changeId: change?.undone_at === null ? change.id : undefined }
  if (run && isUnderWay(run))
    return { ...outcome, isRunning: true, message: `${countOf(changed, 'item')} changed. The rest continues.` }
  if (run?.status === 'failed') throw conflict(`${run.error} ${countOf(changed, 'item')} changed. Please try again.`)
  return { ...outcome, isRunning: false, message: message(changed) }
}
