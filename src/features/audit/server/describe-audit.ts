import type { Kysely } from 'kysely'
import type { Owned } from '#features/media/server/owned.ts'
import { scraperApi } from '#features/scraper/contract.ts'
import { findSourceItems } from '#features/scraper/server/store.ts'
import { notFound } from '#platform/errors.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import { countItems, isUnderWay, listItems, type Run, type RunItem } from '#platform/server/runs/runs-store.ts'
import type { Audit, AuditedPage, AuditedPicture, AuditSummary, Progress, Totals } from '../contract.ts'
import { type Problem, problems as problemsInOrder, problemsOf, weightOf } from '../problems.ts'
import {
  foundOn,
  keptForMs,
  listMeasurings,
  type MeasuringOutput,
  measuredIn,
  measuringOf,
  optionsOf,
  pageOf,
  type StoredPicture,
} from './store.ts'

/** A picture with everything that is known, under one address on however many pages. */
export type KnownPicture = StoredPicture & {
  key: string
  pages: number[]
  pageUrl: string
  problems: Problem[]
  measured: MeasuringOutput | null
  measuringError: string | null
}

export async function describeSummary(db: Db, run: Run): Promise<AuditSummary> {
  const { id, status, created_at, updated_at } = run
  return {
    id,
    website: optionsOf(run).website,
    status,
    createdAt: new Date(created_at).toISOString(),
    expiresAt: new Date(updated_at + keptForMs).toISOString(),
    progress: await describeProgress(db, run),
  }
}

async function describeProgress(db: Db, run: Run): Promise<Progress> {
  const { done, failed } = (await countItems(db, [run])).get(run.id)!
  return { runId: String(run.id), done: done + failed, failed, total: run.total, isRunning: isUnderWay(run) }
}

export async function describeAudit(db: Kysely<Tables>, audit: Owned<Run>): Promise<Audit> {
  const items = await listItems(db, audit.id)
  const measurings = await listMeasurings(db, audit)
  const pictures = await collectPictures(db, items, measurings)
  const last = measurings.at(-1)
  return {
    ...(await describeSummary(db, audit)),
    isTruncated: optionsOf(audit).isTruncated,
    measuring: last ? await describeProgress(db, last) : null,
    pages: items.map((item) => describePage(item, audit, pictures)),
    totals: sumUp(pictures),
  }
}

function describePage(item: RunItem, audit: Run, pictures: KnownPicture[]): AuditedPage {
  const { position, state } = item
  const found = foundOn(item)
  const shown = pictures.filter(({ pages }) => pages.includes(position))
  const isLost = state === 'waiting' && audit.error !== null
  return {
    position,
    url: pageOf(item).url,
    title: found?.title ?? '',
    state: state === 'failed' || isLost ? 'failed' : state === 'waiting' ? 'waiting' : 'done',
    error: item.error ?? (isLost ? audit.error : null),
    hint: found?.hint ?? null,
    pictureCount: shown.length,
    problemCount: shown.filter(({ problems }) => problems.length > 0).length,
    bytes: bytesOf(shown),
  }
}

const bytesOf = (pictures: KnownPicture[]) => pictures.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0)

/** What the better of the two formats saves; nothing where neither is smaller. */
export function savingOf({ bytes, webp, avif }: Pick<MeasuringOutput, 'bytes' | 'webp' | 'avif'>) {
  return Math.max(0, bytes - Math.min(webp ?? Infinity, avif ?? Infinity))
}

function sumUp(pictures: KnownPicture[]): Totals {
  const problems: Record<string, number> = {}
  for (const problem of pictures.flatMap((picture) => picture.problems))
    problems[problem] = (problems[problem] ?? 0) + 1
  const measured = pictures.flatMap((picture) => picture.measured ?? [])
  return {
    pictures: pictures.length,
    withProblems: pictures.filter((picture) => picture.problems.length > 0).length,
    bytes: bytesOf(pictures),
    problems,
    measured: measured.length,
    measuredBytes: measured.reduce((sum, { bytes }) => sum + bytes, 0),
    savedBytes: measured.reduce((sum, one) => sum + savingOf(one), 0),
  }
}

/** The worst first. */
export async function listPictures(db: Kysely<Tables>, audit: Owned<Run>): Promise<KnownPicture[]> {
  const pictures = await collectPictures(db, await listItems(db, audit.id), await listMeasurings(db, audit))
  const weighed = pictures.map((picture) => ({ picture, weight: weightOf(picture.problems) }))
  weighed.sort((a, b) => b.weight - a.weight || (b.picture.bytes ?? 0) - (a.picture.bytes ?? 0))
  return weighed.map(({ picture }) => picture)
}

/** In the order of `keys`. A key names the page and the place on it where the picture was found first. */
export async function requirePictures(
  db: Kysely<Tables>,
  audit: Owned<Run>,
  keys: readonly string[],
): Promise<KnownPicture[]> {
  const pictures = new Map((await listPictures(db, audit)).map((picture) => [picture.key, picture]))
  return [...new Set(keys)].map((key) => {
    const picture = pictures.get(key)
    if (!picture) throw notFound('Picture')
    return picture
  })
}

async function collectPictures(db: Db, items: RunItem[], measurings: Run[]): Promise<KnownPicture[]> {
  const measured = new Map<string, Pick<KnownPicture, 'measured' | 'measuringError'>>()
  for (const { id } of measurings) {
    for (const item of await listItems(db, id)) {
      if (item.state !== 'waiting')
        measured.set(measuringOf(item).url, { measured: measuredIn(item), measuringError: item.error })
    }
  }
  const pictures = new Map<string, KnownPicture>()
  for (const item of items) {
    const found = foundOn(item)
    for (const [index, stored] of (found?.pictures ?? []).entries()) {
      const known = pictures.get(stored.url)
      const { measured: facts = null, measuringError = null } = measured.get(stored.url) ?? {}
      const picture = facts ? { ...stored, bytes: facts.bytes, width: facts.width, height: facts.height } : stored
      const problems = problemsOf(picture)
      if (known) {
        if (!known.pages.includes(item.position)) known.pages.push(item.position)
        known.problems = problemsInOrder.filter((one) => known.problems.includes(one) || problems.includes(one))
        continue
      }
      const key = `${item.position}-${index}`
      const place = { key, pages: [item.position], pageUrl: found!.pageUrl }
      pictures.set(stored.url, { ...picture, ...place, problems, measured: facts, measuringError })
    }
  }
  return [...pictures.values()]
}

export async function describePictures(db: Db, ownerId: number, pictures: KnownPicture[]): Promise<AuditedPicture[]> {
  const items = await findSourceItems(
    db,
    ownerId,
    pictures.map(({ originalUrl }) => originalUrl),
  )
  return pictures.map((picture) => ({
    ...picture,
    mediaId: items.get(picture.originalUrl) ?? null,
    previewUrl: `${scraperApi.image.path}?url=${encodeURIComponent(picture.url)}`,
  }))
}
