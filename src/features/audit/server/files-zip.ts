import { createReadStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { Kysely } from 'kysely'
import type { ZipSource } from '#engines/archive/write-zip.ts'
import { type Cell, writeCsv } from '#engines/documents/tables/write-tables.ts'
import { isPermanentlyLost } from '#features/media/server/files/missing-in-zip.ts'
import { deliveredPath } from '#features/media/server/media-addresses.ts'
import { loadOwnedMediaList } from '#features/media/server/store.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import { altTextsOf } from '#features/media/server/words.ts'
import { findSourceItems } from '#features/scraper/server/store.ts'
import { webNamesOf } from '#features/scraper/web-names-of.ts'
import type { WebsiteRow } from '#features/websites/server/store.ts'
import type { AppError } from '#platform/errors.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import { safeFilename, splitExtension, uniqueNames } from '#shared/filenames.ts'
import type { NewFormat } from '../limits.ts'
import type { KnownPicture } from './describe-audit.ts'
import { type ConvertServices, convertPicture, rightWidth, withFetched } from './measure-pictures.ts'

type Services = ConvertServices & { db: Kysely<Tables> }
type Wanted = {
  ownerId: number
  pictures: KnownPicture[]
  format: NewFormat
  website: WebsiteRow | undefined
  origin: string
  signal: AbortSignal
}

/** How a picture was replaced; `file` is null when it could not be converted, and `note` says why. */
type Replaced = { picture: KnownPicture; item: MediaRow | undefined; file: NewFile | null; note: string }
type NewFile = { name: string; bytes: number; width: number }

/**
 * Pictures are fetched and converted one after another while the ZIP is read, so only one temporary file exists at a time.
 * What is in the library is taken from there, with its name and its alt texts. The table is the last entry.
 */
export async function* auditFiles(services: Services, wanted: Wanted): AsyncGenerator<ZipSource> {
  const { storage } = services
  const items = await loadItems(services.db, wanted)
  const names = namesOf(wanted, items)
  const freeName = uniqueNames()
  const rows: Replaced[] = []
  for (const [index, picture] of wanted.pictures.entries()) {
    wanted.signal.throwIfAborted()
    const item = items.get(picture.originalUrl)
    const outputPath = storage.derived.temporaryPath(wanted.format)
    try {
      const converted = await convert(services, wanted, { picture, item, outputPath })
      const name = freeName(`${names[index]!}.${wanted.format}`)
      rows.push({ picture, item, file: { ...converted, name }, note: '' })
      const { bytes } = converted
      yield { name: `images/${name}`, bytes, isDeflated: false, open: async () => createReadStream(outputPath) }
    } catch (error) {
      if (!isPermanentlyLost(error)) throw error
      rows.push({ picture, item, file: null, note: (error as AppError).message })
    } finally {
      await rm(outputPath, { force: true })
    }
  }
  const table = Buffer.from((await Array.fromAsync(writeCsv(tableRows(rows, wanted)))).join(''))
  yield { name: 'images.csv', bytes: table.length, isDeflated: true, open: async () => Readable.from([table]) }
}

/** By address, items outside the trash. */
async function loadItems(db: Kysely<Tables>, { ownerId, pictures }: Wanted): Promise<Map<string, MediaRow>> {
  const addresses = pictures.map(({ originalUrl }) => originalUrl)
  const ids = await findSourceItems(db, ownerId, addresses)
  const rows = new Map((await loadOwnedMediaList(db, ownerId, [...ids.values()])).map((row) => [row.id, row]))
  return new Map(
    addresses.flatMap((address) => {
      const row = rows.get(ids.get(address) ?? 0)
      return row?.type === 'image' ? [[address, row] as const] : []
    }),
  )
}

/** Without extensions: items keep the names that their owner gave them, and the others get web names. */
function namesOf({ pictures, website }: Wanted, items: Map<string, MediaRow>): string[] {
  const webNames = webNamesOf(
    pictures.map(({ name, url }) => ({ name, address: url })),
    { pattern: website?.name_pattern ?? '', pageUrl: pictures[0]?.pageUrl, website: website?.name },
  )
  return pictures.map(({ originalUrl }, index) => {
    const item = items.get(originalUrl)
    return item ? splitExtension(safeFilename(item.filename)).stem : webNames[index]!
  })
}

type Source = { picture: KnownPicture; item: MediaRow | undefined; outputPath: string }

async function convert(services: Services, { format, signal }: Wanted, { picture, item, outputPath }: Source) {
  const { images, storage } = services
  const { url, pageUrl, shownWidth, width: widthOnPage } = picture
  const write = async (path: string) => {
    const { width, height } = await images.inspect(path)
    // An item may be a larger version than the page has: the new file replaces that of the page.
    const newWidth = rightWidth(Math.min(width, widthOnPage ?? width), shownWidth)
    const written = await convertPicture(images, { path, outputPath, format, width, height, newWidth })
    return { bytes: (await stat(outputPath)).size, width: written.width }
  }
  if (item) return storage.withLocalFile(item.blob, write)
  return withFetched(services, url, { foundOn: pageUrl, signal }, write)
}

async function* tableRows(rows: Replaced[], { website, origin }: Wanted): AsyncGenerator<Cell[]> {
  const stated: string[] = website ? JSON.parse(website.languages) : []
  const written = rows.flatMap(({ item }) => (item ? Object.keys(altTextsOf(item)) : []))
  const languages = [...new Set([...stated, ...written])]
  yield [
    'Old address',
    'Page',
    'New file',
    'New address',
    'Old alt text',
    ...languages.map((language) => `Alt text (${language})`),
    'Old bytes',
    'New bytes',
    'Old width',
    'New width',
    'Note',
  ]
  for (const { picture, item, file, note } of rows) {
    const altTexts = item && item.is_decorative === 0 ? altTextsOf(item) : {}
    yield [
      picture.url,
      picture.pageUrl,
      file ? `images/${file.name}` : '',
      item?.public_slug ? origin + deliveredPath(item.public_slug) : '',
      picture.alt ?? '',
      ...languages.map((language) => altTexts[language] ?? ''),
      picture.bytes ?? '',
      file?.bytes ?? '',
      picture.width ?? '',
      file?.width ?? '',
      item?.is_decorative === 1 ? [note, 'Decorative: its alt text is empty.'].filter(Boolean).join(' ') : note,
    ]
  }
}
