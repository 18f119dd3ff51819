import { createHash } from 'node:crypto'
import type { Kysely } from 'kysely'
import { indexMedia } from '#features/media/server/listing/search-documents.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import { sortKey } from '#shared/fold.ts'

export const tagsEach = 8
const batch = 500
/** As long as the built-in models make them: what a picture looks like, what its words mean, and both in short. */
const [pictureBytes, meaningBytes, sketchBytes] = [1280, 384, 128]

/** A library as the product leaves it when the built-in AI has seen everything, without the bytes. */
export async function addPhotographs(db: Kysely<Tables>, items: number) {
  const { id: ownerId } = await db
    .insertInto('users')
    .values({ username: 'a', username_key: 'a', email: 'a', email_key: 'a', password_hash: '', created_at: 0 })
    .returning('id')
    .executeTakeFirstOrThrow()
  for (let first = 0; first < items; first += batch) {
    const numbers = Array.from({ length: batch }, (_, index) => first + index)
    await db.transaction().execute(async (transaction) => {
      await transaction
        .insertInto('blobs')
        .values(numbers.map((number) => ({ sha256: hashOf(number), bytes: 4_000_000, created_at: number })))
        .execute()
      const rows = await transaction
        .insertInto('media')
        .values(numbers.map((number) => photograph(ownerId, number)))
        .returning(['id', 'blob'])
        .execute()
      const pairs = rows.map(({ id, blob }, index) => ({ id, blob, number: numbers[index]! }))
      await transaction
        .insertInto('media_tags')
        .values(
          pairs.flatMap(({ id, number }) =>
            Array.from({ length: tagsEach }, (_, position) => ({
              media_id: id,
              owner_id: ownerId,
              tag: words[(number * 7 + position * 11) % words.length]! + (position % 2 ? '' : ` ${position}`),
              position,
              source: 'ai' as const,
              score: 0.8,
            })),
          ),
        )
        .execute()
      await addFindings(transaction, ownerId, pairs)
      await indexMedia(
        transaction,
        pairs.map(({ id }) => id),
      )
    })
  }
}

const words =
  'harbour mountain garden market bridge forest beach castle island station morning evening sunset birthday wedding holiday concert picnic river street window portrait family friend cat dog bird flower tree snow'.split(
    ' ',
  )
const hashOf = (number: number) => createHash('sha256').update(String(number)).digest('hex')
const bytesOf = (number: number, length: number) =>
  Buffer.concat(
    Array.from({ length: Math.ceil(length / 32) }, (_, part) =>
      createHash('sha256').update(`${number} ${part}`).digest(),
    ),
  ).subarray(0, length)

function photograph(ownerId: number, number: number) {
  const [place, moment] = [words[number % 10]!, words[10 + (number % 8)]!]
  const filename = `IMG_2026${String(number).padStart(8, '0')} ${place} ${moment}.jpg`
  const takenAt = new Date(1_700_000_000_000 + number * 60_000).toISOString()
  return {
    owner_id: ownerId,
    filename,
    name_key: sortKey(filename),
    type: 'image' as const,
    mime_type: 'image/jpeg',
    blob: hashOf(number),
    size: 4_000_000 + number,
    width: 4032,
    height: 3024,
    thumbhash: bytesOf(number, 24).toString('base64'),
    colours: JSON.stringify(['#405060', '#a0b0c0', '#102030']),
    perceptual_hash: bytesOf(number, 8).toString('hex'),
    exif: JSON.stringify({
      takenAt,
      camera: 'Canon EOS R6',
      lens: 'RF24-105mm F4 L IS USM',
      focalLength: 50,
      aperture: 4,
      exposure: '1/250',
      iso: 200,
      latitude: 48.8577,
      longitude: 2.295,
    }),
    taken_at: takenAt,
    ai_description: `A ${moment} at the ${place} with several people, a ${words[number % 30]} in front and a ${words[(number * 3) % 30]} far behind under a bright sky.`,
    ai_description_source: 'ai' as const,
    found_text: number % 5 === 0 ? `WELCOME TO THE ${place.toUpperCase()} OPEN DAILY` : null,
    ai_status: 'done' as const,
    created_at: number,
    updated_at: number,
  }
}

type Pair = { id: number; blob: string; number: number }

async function addFindings(db: Db, ownerId: number, pairs: Pair[]) {
  const result = (number: number) => {
    const { ai_description: description } = photograph(ownerId, number)
    return JSON.stringify({ title: 'A day out', description, tags: words.slice(0, tagsEach), text: '' })
  }
  await db
    .insertInto('ai_results')
    .values(
      pairs.map(({ blob, number }) => ({
        sha256: blob,
        provider: 'local',
        model: 'albumen',
        version: '1',
        result: result(number),
        created_at: number,
      })),
    )
    .execute()
  await db
    .insertInto('embeddings')
    .values(pairs.map(({ blob, number }) => ({ sha256: blob, vector: bytesOf(number, pictureBytes) })))
    .execute()
  await db
    .insertInto('meanings')
    .values(
      pairs.map(({ id, blob, number }) => ({ media_id: id, words_hash: blob, vector: bytesOf(number, meaningBytes) })),
    )
    .execute()
  await db
    .insertInto('sketches')
    .values(
      pairs.flatMap(({ id, number }) =>
        (['picture', 'words'] as const).map((kind) => ({
          kind,
          media_id: id,
          owner_id: ownerId,
          bits: bytesOf(number, sketchBytes),
        })),
      ),
    )
    .execute()
  await db
    .insertInto('media_analyses')
    .values(
      pairs.map(({ id, number }) => ({
        media_id: id,
        provider: 'local',
        model: 'albumen',
        version: '1',
        replaced: JSON.stringify({ description: null, tags: [], text: null }),
        created_at: number,
      })),
    )
    .execute()
}
