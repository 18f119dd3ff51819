import type { Kysely } from 'kysely'
import { isPictureDataUri } from '#engines/web/find-images/image-address.ts'
import { holdUser } from '#features/auth/server/store.ts'
import { maxItemsAtOnce } from '#features/media/limits.ts'
import type { Owned } from '#features/media/server/owned.ts'
import { conflict, invalid } from '#platform/errors.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import type { Events } from '#platform/server/events/events.ts'
import type { Jobs } from '#platform/server/jobs/jobs.ts'
import { countOf } from '#shared/count.ts'
import { noAddress, noneSelected, type RunKind, type ScrapeRun, type SelectedImage } from '../contract.ts'
import { toWebAddress, toWebAddresses } from '../web-address.ts'
import { nameFromAddress } from './name-from-address.ts'
import {
  completeRun,
  countItems,
  countRunning,
  dismissEndedRuns,
  findCurrentRun,
  insertItems,
  insertRun,
  listItems,
  loadOwnedRun,
  type NewItem,
  type RunRow,
  stopUnbegunItems,
} from './store.ts'

export type RunServices = { db: Kysely<Tables>; jobs: Jobs; events: Events }

const runsPerPerson = 5
/** An ended run is shown again for so long, unless it was dismissed. */
const shownForMs = 3600_000
const shownFailures = 200

export async function startPageRun(
  services: RunServices,
  ownerId: number,
  { selectedImages, pageUrl }: { selectedImages: SelectedImage[]; pageUrl?: string | null },
) {
  const items = selectedImages.flatMap(toItem)
  if (items.length === 0) throw invalid(noneSelected, { field: 'selectedImages' })
  return startRun(services, { ownerId, kind: 'page', pageUrl: toWebAddress(pageUrl ?? ''), items })
}

export async function startUrlsRun(services: RunServices, ownerId: number, urls: string[]) {
  const addresses = toWebAddresses(urls)
  if (addresses.length === 0) throw invalid(noAddress, { field: 'urls' })
  const items = addresses.map((address) => ({
    address,
    alternatives: [],
    name: nameFromAddress(address),
    alt: '',
    context: '',
  }))
  return startRun(services, { ownerId, kind: 'urls', pageUrl: null, items })
}

/** A new run of what failed in an earlier one; the earlier one is not shown any more. */
export async function retryRun(services: RunServices, ownerId: number, runId: number) {
  const run = await loadOwnedRun(services.db, ownerId, runId)
  if (run.status === 'running') throw conflict('This upload is still running.')
  const failed = await listItems(services.db, runId, 'failed', maxItemsAtOnce)
  if (failed.length === 0) throw invalid('This upload has no failed images.')
  const items = failed.map(({ address, alternatives, name, alt, context }) => ({
    address,
    alternatives: JSON.parse(alternatives) as string[],
    name,
    alt,
    context,
  }))
  return startRun(services, { ownerId, kind: run.kind, pageUrl: run.page_url, items })
}

type NewRun = { ownerId: number; kind: RunKind; pageUrl: string | null; items: NewItem[] }

/** Run, images and job exist together or not at all: whoever asked may leave, and so may this process. */
async function startRun({ db, jobs }: RunServices, { ownerId, kind, pageUrl, items }: NewRun): Promise<RunRow> {
  const unique = [...new Map(items.map((item) => [item.address, item])).values()]
  return db.transaction().execute(async (transaction) => {
    // One after another, so that each counts those before it.
    await holdUser(transaction, ownerId)
    if ((await countRunning(transaction, ownerId)) >= runsPerPerson)
      throw conflict('Too many uploads from the web at once. Please wait for one to finish.')
    await dismissEndedRuns(transaction, ownerId)
    const run = await insertRun(transaction, { ownerId, kind, pageUrl, total: unique.length })
    await insertItems(transaction, run.id, unique)
    await enqueueRun(jobs, transaction, run.id)
    return run
  })
}

export const runKind = 'scrape-run'
export type RunPayload = { runId: number }

export async function enqueueRun(jobs: Jobs, db: Db, runId: number, runAt?: number) {
  await jobs.enqueue(db, runKind, { runId } satisfies RunPayload, { key: String(runId), runAt })
}

/** Nothing more is begun. What is under way comes to its end, and with it the run; else the run is over at once. */
export async function cancelRun({ db, events }: RunServices, run: Owned<RunRow>) {
  const { waitingCount } = await db.transaction().execute(async (transaction) => {
    await stopUnbegunItems(transaction, run.id)
    const counts = await countItems(transaction, run.id)
    if (counts.waitingCount === 0) await completeRun(transaction, run.id)
    return counts
  })
  await announceRun(events, run)
  return waitingCount === 0
    ? 'The upload has ended.'
    : `Stopping. ${countOf(waitingCount, 'image is', 'images are')} still uploading.`
}

/** What follows a run reads its rows; this only says that there is something to read. */
export async function announceRun(events: Events, { id, owner_id }: RunRow) {
  await events.publish(owner_id, { type: 'scrape', runId: id })
}

export async function loadCurrentRun(db: Db, ownerId: number): Promise<ScrapeRun | null> {
  const run = await findCurrentRun(db, ownerId, Date.now() - shownForMs)
  if (!run) return null
  const { successCount, errorCount, stoppedCount } = await countItems(db, run.id)
  const failed = run.status === 'complete' ? await listItems(db, run.id, 'failed', shownFailures) : []
  return {
    id: run.id,
    kind: run.kind,
    pageUrl: run.page_url,
    isComplete: run.status === 'complete',
    total: run.total,
    successCount,
    errorCount,
    stoppedCount,
    failed: failed.map(({ id, name, address, message }) => ({
      id,
      name,
      address: address.startsWith('data:') ? 'embedded in the page' : address,
      message: message ?? '',
    })),
  }
}

function toItem({ originalUrl, alternatives, intelligentName, alt, context }: SelectedImage): NewItem[] {
  const address = toImageAddress(originalUrl)
  if (!address) return []
  const others = toWebAddresses(alternatives).filter((other) => other !== address)
  return [{ address, alternatives: others, name: intelligentName || nameFromAddress(address), alt, context }]
}

function toImageAddress(text: string): string | null {
  return isPictureDataUri(text) ? text : toWebAddress(text)
}
