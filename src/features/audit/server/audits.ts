import type { Kysely } from 'kysely'
import { readSitemap } from '#engines/web/sitemap.ts'
import { holdUser } from '#features/auth/server/store.ts'
import type { Owned } from '#features/media/server/owned.ts'
import { type RunServices, startPageRun } from '#features/scraper/server/runs.ts'
import { endAbandonedRuns } from '#features/scraper/server/runs-store.ts'
import { toWebAddress } from '#features/scraper/web-address.ts'
import type { WebsiteRow } from '#features/websites/server/store.ts'
import { conflict, invalid } from '#platform/errors.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import { consumeRateLimits } from '#platform/server/rate-limits.ts'
import { continueAs, publishRun, startRun, stopRun, workOnRuns } from '#platform/server/runs/runs.ts'
import { findRun, isUnderWay, type Run, removeOldRuns } from '#platform/server/runs/runs-store.ts'
import { maxPages } from '../limits.ts'
import { type AuditServices, auditPages } from './audit-pages.ts'
import { requirePictures } from './describe-audit.ts'
import { type ConvertServices, measurePictures } from './measure-pictures.ts'
import {
  type AuditOptions,
  auditKind,
  countAuditsUnderWay,
  keptForMs,
  listMeasurings,
  loadOwnedAudit,
  type MeasuringInput,
  measuringKind,
  measuringOptions,
} from './store.ts'

type Services = RunServices & AuditServices & ConvertServices & { db: Kysely<Tables> }

const auditsPerOwner = 3
const hourMs = 3600_000
const interrupted = 'The audit was interrupted.'
/** A user audits a few sites; a program that audits many is slowed down. */
const auditLimit = (ownerId: number) => ({ name: `audit:${ownerId}`, max: 30, windowMs: 10 * 60_000 })

export async function workOnAudits(services: Services) {
  const { db, jobs } = services
  const common = { runsAtOnce: 2, runsAtOncePerOwner: 1, itemsAtOnce: 2, itemsPerJob: 20, interrupted }
  workOnRuns(services, {
    kind: auditKind,
    ...common,
    begin: (run, { signal }) => auditPages(services, run.owner_id!, signal),
  })
  workOnRuns(services, {
    kind: measuringKind,
    ...common,
    begin: (_run, { signal }) => measurePictures(services, signal),
  })
  jobs.work('tidy-audits', { concurrency: 1 }, () => tidyAudits(db))
  await jobs.schedule('tidy-audits', '17 * * * *')
}

export async function tidyAudits(db: Kysely<Tables>) {
  const now = Date.now()
  await removeOldRuns(db, { kinds: [auditKind, measuringKind], updatedBefore: now - keptForMs })
  for (const kind of [auditKind, measuringKind]) await endAbandonedRuns(db, { kind, error: interrupted }, now - hourMs)
}

type Wanted = { urls: string[]; sitemapUrl?: string; signal?: AbortSignal }

export async function startAudit(services: Services, ownerId: number, wanted: Wanted): Promise<Owned<Run>> {
  const { db, jobs } = services
  await consumeRateLimits(db, [auditLimit(ownerId)])
  const { addresses, ...options } = await findPages(services, wanted)
  const run = await db.transaction().execute(async (transaction) => {
    // Requests of one owner are serialized here, so that each counts the ones before it.
    await holdUser(transaction, ownerId)
    if ((await countAuditsUnderWay(transaction, ownerId)) >= auditsPerOwner)
      throw conflict('Too many audits at once. Wait for one to finish, or stop one.')
    const items = addresses.map((url) => ({ input: JSON.stringify({ url }) }))
    return startRun(transaction, jobs, { kind: auditKind, ownerId, options }, items)
  })
  return loadOwnedAudit(db, ownerId, run.id)
}

async function findPages(services: Services, wanted: Wanted): Promise<AuditOptions & { addresses: string[] }> {
  const typed = wanted.urls.filter((text) => text.trim() !== '').map((text) => requireAddress(text, 'urls'))
  const addresses = [...new Set(typed)]
  const website = hostOf(addresses[0])
  if (addresses.some((address) => hostOf(address) !== website))
    throw invalid('All pages of an audit must be on one website.', { field: 'urls' })
  if (!wanted.sitemapUrl) {
    if (addresses.length === 0)
      throw invalid('Enter the addresses of the pages, one per line, or the address of a sitemap.', { field: 'urls' })
    return { addresses, website, isTruncated: false }
  }
  const sitemapUrl = requireAddress(wanted.sitemapUrl, 'sitemapUrl')
  if (addresses.length > 0) throw invalid('Enter addresses or a sitemap, not both.', { field: 'sitemapUrl' })
  const found = await readSitemap(services.web, sitemapUrl, { limit: maxPages, signal: wanted.signal })
  const own = found.addresses.flatMap((address) => toWebAddress(address) ?? [])
  const pages = [...new Set(own.filter((address) => hostOf(address) === hostOf(sitemapUrl)))]
  if (pages.length === 0) throw invalid('This sitemap names no pages of its own website.', { field: 'sitemapUrl' })
  return { addresses: pages, website: hostOf(sitemapUrl), isTruncated: found.isTruncated }
}

function requireAddress(text: string, field: string) {
  const address = toWebAddress(text)
  if (!address) throw invalid(`"${text.trim().slice(0, 200)}" is not an HTTP or HTTPS URL.`, { field })
  return address
}

/** With the port: another port may be another service, which only its owner may name. */
const hostOf = (address = '') => (URL.parse(address)?.host ?? '').replace(/^www\./, '')

export async function stopAudit(services: Services, audit: Owned<Run>) {
  const measurings = (await listMeasurings(services.db, audit)).filter(isUnderWay)
  if (measurings.length === 0 && !isUnderWay(audit)) throw conflict('This audit is not running.')
  for (const run of [audit, ...measurings]) if (isUnderWay(run)) await stopRun(services, run)
  const now = await findRun(services.db, audit.id)
  return now && isUnderWay(now) ? 'Stopping. The current pages are still checked.' : 'The audit was stopped.'
}

/** Pages that were not reached are checked; a process that ends in between continues by itself. */
export async function resumeAudit(services: Services, audit: Owned<Run>) {
  await services.db.transaction().execute(async (transaction) => {
    await holdUser(transaction, audit.owner_id!)
    const now = await findRun(transaction, audit.id)
    if (now?.status !== 'stopped') throw conflict('Only an audit that was stopped can be resumed.')
    await continueAs(transaction, services.jobs, now, auditKind)
  })
  await publishRun(services, audit.id)
}

export async function startMeasuring(services: Services, audit: Owned<Run>, keys: string[]) {
  const { db, jobs } = services
  const pictures = await requirePictures(db, audit, keys)
  const items = pictures.map(({ url, pageUrl, shownWidth }) => {
    const input: MeasuringInput = { url, foundOn: pageUrl, shownWidth }
    return { input: JSON.stringify(input) }
  })
  const ownerId = audit.owner_id!
  await db.transaction().execute(async (transaction) => {
    await holdUser(transaction, ownerId)
    if ((await listMeasurings(transaction, audit)).some(isUnderWay))
      throw conflict('Pictures of this audit are being measured. Wait until that is done, or stop it.')
    await startRun(transaction, jobs, { kind: measuringKind, ownerId, options: measuringOptions(audit.id) }, items)
  })
}

/** The largest known version of each enters the library. */
export async function importPictures(
  services: Services,
  audit: Owned<Run>,
  { keys, namePattern, website }: { keys: string[]; namePattern?: string; website?: WebsiteRow },
) {
  const pictures = await requirePictures(services.db, audit, keys)
  const selectedImages = pictures.map(({ originalUrl, alternatives, alt, name, context }) => ({
    originalUrl,
    alternatives,
    alt: alt ?? '',
    intelligentName: name,
    context,
  }))
  const { pageUrl } = pictures[0]!
  const pattern = namePattern === '' ? (website?.name_pattern ?? '') : namePattern
  const naming = { namePattern: pattern, website: website?.name }
  return startPageRun(services, audit.owner_id!, { selectedImages, pageUrl, ...naming })
}
