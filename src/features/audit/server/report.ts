import type { Kysely } from 'kysely'
import type { DocumentItem, ReportSummary } from '#engines/documents/document.ts'
import type { VideoEngine } from '#engines/video/video-engine.ts'
import { withThumbnail } from '#features/media/server/files/thumbnails.ts'
import type { Owned } from '#features/media/server/owned.ts'
import { loadOwnedMediaList } from '#features/media/server/store.ts'
import { brandingOf } from '#features/websites/server/branding.ts'
import type { WebsiteRow } from '#features/websites/server/store.ts'
import { AppError } from '#platform/errors.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import type { Run } from '#platform/server/runs/runs-store.ts'
import { formatBytes } from '#shared/bytes.ts'
import { countOf } from '#shared/count.ts'
import type { Audit } from '../contract.ts'
import { formatNames } from '../limits.ts'
import { problemNames, problems } from '../problems.ts'
import { describeAudit, type KnownPicture, listPictures, savingOf } from './describe-audit.ts'
import { type ConvertServices, withFetched } from './measure-pictures.ts'

type Services = ConvertServices & { db: Kysely<Tables>; videos: VideoEngine }
type Wanted = { audit: Owned<Run>; website: WebsiteRow | undefined; signal: AbortSignal }

const logoEdge = 240
/** The worst ones; a longer list is for a spreadsheet. */
const listedPictures = 500

export async function auditReport(
  services: Services,
  { audit, website, signal }: Wanted,
): Promise<NodeJS.ReadableStream> {
  const described = await describeAudit(services.db, audit)
  const pictures = (await listPictures(services.db, audit)).filter(({ problems }) => problems.length > 0)
  const listed = pictures.slice(0, listedPictures)
  const facts = {
    title: `Picture audit of ${website?.name ?? described.website}`,
    createdAt: described.createdAt.slice(0, 10),
    count: described.totals.pictures,
  }
  const summary: ReportSummary = {
    logo: website ? await loadLogo(services, website, signal) : null,
    lines: summaryLines(described, pictures.length - listed.length),
  }
  // The PDF writer is large because of its fonts, so it is loaded on first use.
  const { writePdf } = await import('#engines/documents/pdf.ts')
  return writePdf(facts, asItems(listed), summary)
}

function summaryLines({ totals, pages, website }: Audit, leftOut: number): [string, string][] {
  const failed = pages.filter(({ state }) => state === 'failed').length
  const waiting = pages.filter(({ state }) => state === 'waiting').length
  const checked = [countOf(pages.length - failed - waiting, 'page')]
  if (failed > 0) checked.push(`${failed} could not be read`)
  if (waiting > 0) checked.push(`${waiting} not checked`)
  const percent = totals.measuredBytes > 0 ? Math.round((totals.savedBytes / totals.measuredBytes) * 100) : 0
  return [
    ['Website', website],
    ['Pages', checked.join(', ')],
    ['Pictures', `${totals.pictures}, ${totals.withProblems} with a problem`],
    ['Weight', formatBytes(totals.bytes)],
    ...problems
      .filter((problem) => totals.problems[problem])
      .map((problem): [string, string] => [problemNames[problem], countOf(totals.problems[problem]!, 'picture')]),
    totals.measured > 0
      ? [
          'Savings',
          `${formatBytes(totals.savedBytes)} (${percent}%) of ${countOf(totals.measured, 'measured picture')}`,
        ]
      : ['Savings', 'Not measured'],
    ...(leftOut > 0 ? [['Not listed', countOf(leftOut, 'picture')] as [string, string]] : []),
  ]
}

const noWords = { title: null, altTexts: {}, creator: null, credit: null, licence: null, source: null }

async function* asItems(pictures: KnownPicture[]): AsyncGenerator<DocumentItem> {
  for (const picture of pictures) {
    const { fileName, bytes, format, width, height, shownWidth, alt, url, measured } = picture
    const thumbnail = measured?.thumbnail
    const shown = shownWidth === null ? '' : `, shown ${shownWidth} wide`
    yield {
      name: fileName,
      thumbnail: thumbnail ? { ...thumbnail, data: Buffer.from(thumbnail.data, 'base64') } : null,
      size: [bytes === null ? '' : formatBytes(bytes), format && formatNames[format]].filter(Boolean).join(', '),
      dimensions: width ? `${width} × ${height}${shown}` : '',
      tags: picture.problems.map((problem) => problemNames[problem]),
      publicUrl: url,
      words: noWords,
      description: alt ? `Alt text: ${alt}` : '',
      aiDescription: measured ? savings(measured) : '',
      thumbnailUrl: '',
    }
  }
}

function savings(measured: NonNullable<KnownPicture['measured']>) {
  const saved = savingOf(measured)
  if (saved === 0) return 'A new format would not be smaller.'
  const { webp, avif } = measured
  const name = (avif ?? Infinity) <= (webp ?? Infinity) ? 'AVIF' : 'WebP'
  return `${name}, ${measured.newWidth} wide: ${formatBytes(saved)} less (${Math.round((saved / measured.bytes) * 100)}%).`
}

/** An item of the library, or a file at any public address. A logo that cannot be had does not stop the report. */
async function loadLogo(services: Services, website: WebsiteRow, signal: AbortSignal) {
  const { logoUrl = '' } = brandingOf(website)
  const shrink = (path: string) => services.images.shrink({ path, edge: logoEdge })
  try {
    const id = Number(/^\/files\/(\d{1,15})\//.exec(logoUrl)?.[1])
    if (id) {
      const [item] = await loadOwnedMediaList(services.db, website.owner_id, [id])
      return item ? await withThumbnail(services, item, shrink) : null
    }
    if (!/^https:/i.test(logoUrl)) return null
    return await withFetched(services, logoUrl, { foundOn: logoUrl, signal }, shrink)
  } catch (error) {
    if (error instanceof AppError && !signal.aborted) return null
    throw error
  }
}
