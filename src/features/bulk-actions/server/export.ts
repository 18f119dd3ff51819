import { Readable } from 'node:stream'
import { createZip, type ZipSource } from '#engines/archive/write-zip.ts'
import { type DocumentItem, writeMarkdown } from '#engines/documents/document.ts'
import { type Rows, writeCsv, writeXlsx } from '#engines/documents/tables/write-tables.ts'
import { type WordPart, writeWord } from '#engines/documents/word.ts'
import { isAway } from '#engines/imagekit/imagekit-errors.ts'
import type { ImageEngine } from '#engines/images/image-engine.ts'
import type { Storage } from '#engines/storage/storage.ts'
import type { VideoEngine } from '#engines/video/video-engine.ts'
import type { Media } from '#features/media/contract.ts'
import { withThumbnail } from '#features/media/server/files/thumbnails.ts'
import { watchLibrary } from '#features/media/server/library-pause.ts'
import { describeMedia, listOwnedSizes, loadOwnedMediaList } from '#features/media/server/store.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import { altTextsOf } from '#features/media/server/words.ts'
import { AppError, notFound } from '#platform/errors.ts'
import type { Database } from '#platform/server/db/database.ts'
import { partsToAsk } from '#platform/server/db/parts-to-ask.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { formatBytes } from '#shared/bytes.ts'
import { chunksOf } from '#shared/chunks.ts'
import { formatDuration } from '#shared/duration.ts'
import type { ExportFormat } from '../contract.ts'
import { cellsOf, headerOf } from './table/columns.ts'

type Services = Pick<Database, 'db' | 'slowReads'> & { storage: Storage; images: ImageEngine; videos: VideoEngine }
type ExportRequest = { ownerId: number; mediaIds: number[]; format: ExportFormat; origin: string }
type Items = ExportRequest & { requireSameLibrary: () => Promise<void> }

const batch = 100
const thumbnailEdge = 320

export async function exportDocument(services: Services, request: ExportRequest): Promise<Readable> {
  const wanted = { ...request, requireSameLibrary: await watchLibrary(services.db) }
  const count = (await listOwnedSizes(services.slowReads, request.ownerId, request.mediaIds)).size
  if (count === 0) throw notFound('Media')
  const facts = { title: 'Media from Albumen', createdAt: new Date().toISOString().slice(0, 10), count }
  if (request.format === 'csv') return Readable.from(writeCsv(await listTableRows(services, wanted)))
  if (request.format === 'xlsx') return createZip(writeXlsx(await listTableRows(services, wanted)))
  if (request.format === 'md') return Readable.from(writeMarkdown(facts, listItems(services, wanted, false)))
  const items = await readFirst(listItems(services, wanted, true))
  // The PDF writer is large because of its fonts, so it is loaded on first use, not at startup.
  if (request.format === 'pdf') return (await import('#engines/documents/pdf.ts')).writePdf(facts, items) as Readable
  return createZip(asZipSources(writeWord(facts, items)))
}

/** Reads the first item before the response starts, so that an error there can still be answered with a message. */
async function readFirst<T>(items: AsyncGenerator<T>): Promise<AsyncIterable<T>> {
  const first = await items.next()
  return (async function* () {
    if (!first.done) yield first.value
    yield* items
  })()
}

/** All entries are deflated: some programs cannot read stored images whose length follows their data. */
async function* asZipSources(parts: AsyncIterable<WordPart>): AsyncGenerator<ZipSource> {
  for await (const { name, data } of parts)
    yield { name, bytes: data.length, isDeflated: true, open: async () => Readable.from([data]) }
}

async function* listItems(services: Services, items: Items, hasPictures: boolean): AsyncGenerator<DocumentItem> {
  for await (const { media, row } of listMedia(services, items)) {
    const thumbnail = hasPictures ? await thumbnailOf(services, row) : null
    yield toItem(media, row, { thumbnail, thumbnailUrl: thumbnailUrlOf(media, items.origin) })
  }
}

/** Lists the items in the selected order and skips those deleted in the meantime. */
async function* listMedia(services: Services, { ownerId, mediaIds, origin, requireSameLibrary }: Items) {
  const wanted = [...new Set(mediaIds)]
  for (const ids of chunksOf(wanted, batch)) {
    const rows = await loadOwnedMediaList(services.db, ownerId, ids)
    const media = new Map((await describeMedia(services.db, rows, origin)).map((item) => [item.id, item]))
    const files = new Map(rows.map((row) => [row.id, row]))
    await requireSameLibrary()
    for (const id of ids) {
      const item = media.get(id)
      if (item) yield { media: item, row: files.get(id)! }
    }
  }
}

/** The languages are known before the first row: those of the alt texts and of the owner's websites. */
async function listTableRows(services: Services, items: Items): Promise<Rows> {
  const languages = await listLanguages(services.slowReads, items)
  return (async function* () {
    yield headerOf(languages)
    for await (const { media, row } of listMedia(services, items)) {
      const { size, dimensions } = factsOf(media)
      yield cellsOf({ media, row, size, dimensions, thumbnailUrl: thumbnailUrlOf(media, items.origin) }, languages)
    }
  })()
}

async function listLanguages(db: Db, { ownerId, mediaIds }: Items) {
  const websites = await db.selectFrom('websites').select('languages').where('owner_id', '=', ownerId).execute()
  const languages = new Set(websites.flatMap((website): string[] => JSON.parse(website.languages)))
  for (const part of partsToAsk(mediaIds)) {
    const rows = db.selectFrom('media').select('alt_texts').where('owner_id', '=', ownerId).where('id', 'in', part)
    for (const row of await rows.where('alt_texts', 'is not', null).execute())
      for (const language of Object.keys(altTextsOf(row))) languages.add(language)
  }
  return languages.size > 0 ? [...languages].sort() : ['en']
}

const thumbnailUrlOf = (media: Media, origin: string) => (isPublic(media) ? origin + media.thumbnailUrl : '')

/** Readers of the document have no session, so only public items get a thumbnail address. */
const isPublic = ({ publicUrl, trashedAt }: Media) => publicUrl !== null && trashedAt === null

function factsOf(media: Media) {
  const dimensions = media.width ? `${media.width} × ${media.height}` : ''
  return {
    size: formatBytes(media.size),
    dimensions: media.duration === null ? dimensions : `${dimensions}, ${formatDuration(media.duration)}`,
  }
}

function toItem(media: Media, row: MediaRow, pictures: Pick<DocumentItem, 'thumbnail' | 'thumbnailUrl'>): DocumentItem {
  return {
    ...pictures,
    ...factsOf(media),
    name: media.filename,
    description: media.userDescription ?? '',
    aiDescription: media.aiDescription ?? '',
    tags: media.aiTags,
    words: {
      title: row.title,
      altTexts: media.altTexts,
      creator: row.creator,
      credit: row.credit,
      licence: row.licence,
      source: row.source_url,
    },
    publicUrl: media.publicUrl ?? '',
  }
}

/**
 * Documents take no WebP. A damaged or missing file leaves a gap; a temporary storage failure ends the export, as the gap
 * would go unnoticed.
 */
async function thumbnailOf(services: Services, file: Pick<MediaRow, 'blob' | 'type'>) {
  try {
    return await withThumbnail(services, file, (path) => services.images.shrink({ path, edge: thumbnailEdge }))
  } catch (error) {
    const isOutOfReach =
      isAway(error) || (error instanceof AppError && ['unavailable', 'storage-full'].includes(error.code))
    if (error instanceof AppError && !isOutOfReach) return null
    throw error
  }
}
