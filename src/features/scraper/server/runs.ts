import type { Kysely } from 'kysely'
import { isPictureDataUri } from '#engines/web/find-images/image-address.ts'
import { holdUser } from '#features/auth/server/store.ts'
import { maxItemsAtOnce } from '#features/media/limits.ts'
import type { Owned } from '#features/media/server/owned.ts'
import { conflict, invalid } from '#platform/errors.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import type { Events } from '#platform/server/events/events.ts'
import type { Jobs } from '#platform/server/jobs/jobs.ts'
import { startRun, stopRun, workOnRuns } from '#platform/server/runs/runs.ts'
import {
  findRun,
  isUnderWay,
  listErrors,
  listItems,
  type Run,
  removeOldRuns,
} from '#platform/server/runs/runs-store.ts'
import { countOf } from '#shared/count.ts'
import { noAddress, noneSelected, type ScrapeRun, type SelectedImage } from '../contract.ts'
import { toWebAddress, toWebAddresses } from '../web-address.ts'
import { webNamesOf } from '../web-names-of.ts'
import { type ImportServices, importImages } from './import-images.ts'
import { nameFromAddress } from './name-from-address.ts'
import {
  countBegun,
  countImages,
  countUnderWay,
  dismissEndedRuns,
  endAbandonedRuns,
  findCurrentRun,
  type ImageInput,
  inputOf,
  interrupted,
  loadOwnedRun,
  optionsOf,
  type RunOptions,
  scrapeKind,
} from './runs-store.ts'
import { deleteFindsBefore } from './store.ts'

export type RunServices = { db: Kysely<Tables>; jobs: Jobs; events: Events }

const runsPerOwner = 5
const runsAtOnce = 3
const hourMs = 3600_000
/** An ended run is still shown for this long, unless it was dismissed. */
const shownForMs = hourMs
const shownFailures = 200

export async function workOnScrapes(services: ImportServices) {
  const { db, jobs } = services
  workOnRuns(services, {
    kind: scrapeKind,
    runsAtOnce,
    // One slot is left for other owners, however slow one owner's sites are.
    runsAtOncePerOwner: runsAtOnce - 1,
    itemsAtOnce: 4,
    itemsPerJob: 40,
    begin: (run, { signal }) => importImages(services, run, signal),
    interrupted,
  })
  jobs.work('tidy-scrapes', { concurrency: 1 }, () => tidyScrapes(db))
  await jobs.schedule('tidy-scrapes', '41 * * * *')
}

export async function tidyScrapes(db: Kysely<Tables>) {
  const now = Date.now()
  await deleteFindsBefore(db, now - 24 * hourMs)
  await removeOldRuns(db, { kinds: [scrapeKind], updatedBefore: now - 7 * 24 * hourMs })
  await endAbandonedRuns(db, { kind: scrapeKind, error: interrupted }, now - hourMs)
}

/** `website` is its name in web names; that of the page's host when absent. */
type PageImages = {
  selectedImages: SelectedImage[]
  pageUrl?: string | null
  namePattern?: string
  website?: string
}

export async function startPageRun(
  services: RunServices,
  ownerId: number,
  { selectedImages, pageUrl, namePattern, website }: PageImages,
) {
  const images = withWebNames(selectedImages.flatMap(toInput), { pattern: namePattern, pageUrl, website })
  if (images.length === 0) throw invalid(noneSelected, { field: 'selectedImages' })
  return startImport(services, ownerId, { source: 'page', pageUrl: toWebAddress(pageUrl ?? '') }, images)
}

function toInput({ originalUrl, alternatives, intelligentName, alt, context }: SelectedImage): ImageInput[] {
  const address = isPictureDataUri(originalUrl) ? originalUrl : toWebAddress(originalUrl)
  if (!address) return []
  const others = toWebAddresses(alternatives).filter((other) => other !== address)
  return [{ address, alternatives: others, name: intelligentName || nameFromAddress(address), alt, context }]
}

type UrlImages = { urls: string[]; namePattern?: string }

export async function startUrlsRun(services: RunServices, ownerId: number, { urls, namePattern }: UrlImages) {
  const addresses = toWebAddresses(urls)
  if (addresses.length === 0) throw invalid(noAddress, { field: 'urls' })
  const images = addresses.map((address) => {
    const name = nameFromAddress(address)
    return { address, alternatives: [], name, alt: '', context: '' }
  })
  return startImport(
    services,
    ownerId,
    { source: 'urls', pageUrl: null },
    withWebNames(images, { pattern: namePattern }),
  )
}

type Naming = { pattern?: string; pageUrl?: string | null; website?: string }

function withWebNames(images: ImageInput[], { pattern, ...facts }: Naming): ImageInput[] {
  if (pattern === undefined) return images
  const names = webNamesOf(images, { pattern, ...facts })
  return images.map((image, index) => ({ ...image, name: names[index]! }))
}

/** A new run of the images that failed in an earlier one; the earlier one is dismissed. */
export async function retryRun(services: RunServices, ownerId: number, runId: number) {
  const run = await loadOwnedRun(services.db, ownerId, runId)
  if (isUnderWay(run)) throw conflict('This upload is still running.')
  const failed = listErrors(run, await listItems(services.db, runId)).slice(0, maxItemsAtOnce)
  if (failed.length === 0) throw invalid('This upload has no failed images.')
  return startImport(services, ownerId, optionsOf(run), failed.map(inputOf))
}

async function startImport({ db, jobs }: RunServices, ownerId: number, options: RunOptions, images: ImageInput[]) {
  const unique = [...new Map(images.map((image) => [image.address, image])).values()]
  const items = unique.map((image) => ({ input: JSON.stringify(image) }))
  return db.transaction().execute(async (transaction) => {
    // Requests of one owner are serialized here, so that each counts the ones before it.
    await holdUser(transaction, ownerId)
    if ((await countUnderWay(transaction, ownerId)) >= runsPerOwner)
      throw conflict('Too many uploads from the web at once. Please wait for one to finish.')
    await dismissEndedRuns(transaction, ownerId)
    return startRun(transaction, jobs, { kind: scrapeKind, ownerId, options }, items)
  })
}

export async function cancelRun(services: RunServices, run: Owned<Run>) {
  const { db } = services
  await stopRun(services, run)
  const now = await findRun(db, run.id)
  const begun = now && isUnderWay(now) ? await countBegun(db, run.id) : 0
  return begun === 0
    ? 'The upload has ended.'
    : `Stopping. ${countOf(begun, 'image is', 'images are')} still uploading.`
}

export async function loadCurrentRun(db: Db, ownerId: number): Promise<ScrapeRun | null> {
  const run = await findCurrentRun(db, ownerId, Date.now() - shownForMs)
  if (!run) return null
  const { source, pageUrl } = optionsOf(run)
  const counts = await countImages(db, run)
  const isComplete = !isUnderWay(run)
  const failed = isComplete && counts.errorCount > 0 ? listErrors(run, await listItems(db, run.id)) : []
  return {
    id: run.id,
    kind: source,
    pageUrl,
    isComplete,
    total: run.total,
    ...counts,
    failed: failed.slice(0, shownFailures).map((item) => {
      const { name, address } = inputOf(item)
      const isEmbedded = address.startsWith('data:')
      return { id: item.position, name, address: isEmbedded ? 'embedded in the page' : address, message: item.error }
    }),
  }
}
