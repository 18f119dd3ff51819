import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { type ByteSource, createByteReader } from '#engines/metadata/byte-reader.ts'
import { insertWords, takesWords } from '#engines/metadata/insert-xmp.ts'
import { type PictureWords, withoutEmpty } from '#engines/metadata/picture-words.ts'
import { type Piece, pieceLength } from '#engines/metadata/rewrite.ts'
import type { ByteRange } from '#engines/storage/storage.ts'
import { AppError } from '#platform/errors.ts'
import { prepareQuery } from '#platform/server/db/prepared.ts'
import { findHolders } from '../listing/collection-items.ts'
import type { MediaRow } from '../to-media.ts'
import { altTextsOf } from '../words.ts'
import type { FileServices, ServedFile } from './served-file.ts'

/**
 * The file with these words in it; see [Note: Words written into a file]. A file of another type, or one that is damaged,
 * is served as it is.
 */
export async function withWords(file: ServedFile, words: PictureWords): Promise<ServedFile> {
  if (!takesWords(file.mimeType) || Object.keys(words).length === 0) return file
  const reader = createByteReader(sourceOf(file), file.bytes)
  const pieces = await insertWords(reader, file.mimeType, words).catch((error) => {
    if (error instanceof AppError && error.code === 'corrupt-file') return undefined
    throw error
  })
  if (!pieces) return file
  const bytes = pieces.reduce((sum, piece) => sum + pieceLength(piece), 0)
  const written = Buffer.concat(pieces.filter((piece) => piece instanceof Uint8Array))
  return {
    ...file,
    bytes,
    recipe: `${file.recipe}-${hash('sha256', written, 'hex').slice(0, 16)}`,
    async open(range = { start: 0, end: bytes - 1 }) {
      const stream = Readable.from(readPieces(file, pieces, range), { objectMode: false })
      return { stream, bytes: range.end - range.start + 1 }
    },
  }
}

async function* readPieces(file: ServedFile, pieces: Piece[], { start, end }: ByteRange): AsyncGenerator<Buffer> {
  let position = 0
  for (const piece of pieces) {
    const from = Math.max(start - position, 0)
    const to = Math.min(end + 1 - position, pieceLength(piece))
    position += pieceLength(piece)
    if (from >= to) continue
    if (piece instanceof Uint8Array) yield Buffer.from(piece.subarray(from, to))
    else yield* readRange(file, { start: piece.start + from, end: piece.start + to - 1 })
  }
}

async function* readRange(file: ServedFile, range: ByteRange): AsyncGenerator<Buffer> {
  const opened = await file.open(range)
  if (Buffer.isBuffer(opened)) yield opened.subarray(range.start, range.end + 1)
  else yield* opened.stream
}

function sourceOf(file: ServedFile): ByteSource {
  return {
    async read(buffer, offset, length, position) {
      let bytesRead = 0
      for await (const chunk of readRange(file, { start: position, end: position + length - 1 }))
        bytesRead += chunk.copy(buffer, offset + bytesRead)
      return { bytesRead }
    },
  }
}

/** What the owner's copy of a file says, and what programs read from it: all words of the item. */
export function wordsOf(media: MediaRow, tags: { tag: string }[]): PictureWords {
  return withoutEmpty({
    title: media.title ?? undefined,
    description: (media.user_description || media.ai_description) ?? undefined,
    keywords: tags.map(({ tag }) => tag),
    creator: media.creator ?? undefined,
    credit: media.credit ?? undefined,
    rights: media.licence ?? undefined,
    source: media.source_url ?? undefined,
    altTexts: media.is_decorative === 1 ? undefined : altTextsOf(media),
  })
}

/** A file for visitors says whose it is if a website of the item wants that, and nothing else. */
export async function withStatedRights({ db }: Pick<FileServices, 'db'>, mediaId: number, file: ServedFile) {
  if (!takesWords(file.mimeType)) return file
  const stated = (await findStatedRights(db, mediaId, 1)) ?? (await findStatedBySmart(db, mediaId))
  if (!stated) return file
  const creator = stated.creator ?? stated.website_creator ?? undefined
  const rights = stated.licence ?? stated.website_licence ?? undefined
  return withWords(file, withoutEmpty({ creator, rights }))
}

/** The rights that the website of a smart collection states. */
async function findStatedBySmart(db: FileServices['db'], mediaId: number) {
  for await (const { website_id } of findHolders(db, mediaId, (collection) => collection.website_id !== null)) {
    const stated = await db
      .selectFrom('websites')
      .innerJoin('media', 'media.owner_id', 'websites.owner_id')
      .select(['media.creator', 'media.licence'])
      .select(['websites.creator as website_creator', 'websites.licence as website_licence'])
      .where('media.id', '=', mediaId)
      .where('websites.id', '=', website_id)
      .where('websites.states_rights', '=', 1)
      .executeTakeFirst()
    if (stated) return stated
  }
  return undefined
}

/** Runs for every picture of a public page. */
const findStatedRights = prepareQuery((db, mediaId: number, states: number) =>
  db
    .selectFrom('media')
    .innerJoin('collection_media', 'collection_media.media_id', 'media.id')
    .innerJoin('collections', 'collections.id', 'collection_media.collection_id')
    .innerJoin('websites', 'websites.id', 'collections.website_id')
    .select(['media.creator', 'media.licence'])
    .select(['websites.creator as website_creator', 'websites.licence as website_licence'])
    .where('media.id', '=', mediaId)
    .where('websites.states_rights', '=', states as 1)
    .orderBy('collection_media.added_at')
    .orderBy('collections.id'),
)
