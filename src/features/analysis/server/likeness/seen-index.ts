import { setImmediate as letOthersRun } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Tables } from '#platform/server/db/tables.ts'

type Seen = { id: number; likeness: number }

/** What SigLIP saw in a library's pictures, to be compared with a text. */
type SeenIndex = {
  findNearest(ownerId: number, text: Float32Array, options: { least: number; count: number }): Promise<Seen[]>
}

const rowsPerRead = 5000
/** Pictures compared before other requests run: about 4 ms. */
const rowsPerTurn = 2500
/** Enough for a library of 170,000 items; a larger one is read again for each search. */
const maxBytes = 128 * 1024 * 1024
/** After this time it is read again, to drop deleted items and to find copies. */
const freshMs = 10 * 60_000

/**
 * The similarities of a text to pictures lie close together, so that they are compared exactly and not by sketches, which
 * takes 1.5 µs for a picture. Rows added since the last search are read, the others are cached.
 */
export function createSeenIndex(slowReads: Kysely<Tables>): SeenIndex {
  const cache = new LRUCache<number, Entry>({
    maxSize: maxBytes,
    sizeCalculation: ({ numbers }) => numbers.byteLength + 1,
  })
  const reading = new Map<number, Promise<Entry>>()

  async function loadEntry(ownerId: number): Promise<Entry> {
    const running = reading.get(ownerId)
    if (running) return running
    const known = cache.get(ownerId)
    const entry = known && known.readAt > Date.now() - freshMs ? known : emptyEntry()
    const refreshing = readNew(slowReads, entry, ownerId).finally(() => reading.delete(ownerId))
    reading.set(ownerId, refreshing)
    await refreshing
    // The cache measures an entry when it is set, and the entry may have grown.
    cache.delete(ownerId)
    cache.set(ownerId, entry)
    return entry
  }

  return {
    async findNearest(ownerId, text, { least, count }) {
      const entry = await loadEntry(ownerId)
      const found: Seen[] = []
      for (let from = 0; from < entry.ids.length; from += rowsPerTurn) {
        if (from > 0) await letOthersRun()
        found.push(...compare(entry, text, { from, to: Math.min(from + rowsPerTurn, entry.ids.length), least }))
      }
      return found.sort((a, b) => b.likeness - a.likeness).slice(0, count)
    },
  }
}

type Entry = {
  ids: number[]
  width: number
  numbers: Int8Array
  /** Of each row. */
  lengths: number[]
  lastId: number
  readAt: number
}

const emptyEntry = (): Entry => ({
  ids: [],
  width: 0,
  numbers: new Int8Array(),
  lengths: [],
  lastId: 0,
  readAt: Date.now(),
})

async function readNew(db: Kysely<Tables>, entry: Entry, ownerId: number): Promise<Entry> {
  for (;;) {
    const rows = await db
      .selectFrom('seen')
      .innerJoin('media', 'media.blob', 'seen.sha256')
      .select(['seen.id', 'media.id as mediaId', 'seen.vector'])
      .where('media.owner_id', '=', ownerId)
      .where('seen.id', '>', entry.lastId)
      .orderBy('seen.id')
      .limit(rowsPerRead)
      .execute()
    for (const { mediaId, vector } of rows) put(entry, mediaId, vector)
    const last = rows.at(-1)
    // The copies of one file have one id, and a page may end between them; those are found by the next full read.
    if (last) entry.lastId = last.id
    if (rows.length < rowsPerRead) return entry
  }
}

function put(entry: Entry, mediaId: number, vector: Uint8Array) {
  if (entry.width === 0) entry.width = vector.length
  if (vector.length !== entry.width) return
  const at = entry.ids.length * entry.width
  if (at + entry.width > entry.numbers.length) {
    const larger = new Int8Array(Math.max(64 * entry.width, Math.ceil(entry.ids.length * 1.5) * entry.width))
    larger.set(entry.numbers)
    entry.numbers = larger
  }
  const numbers = new Int8Array(vector.buffer, vector.byteOffset, vector.length)
  entry.numbers.set(numbers, at)
  entry.lengths.push(Math.hypot(...numbers) || 1)
  entry.ids.push(mediaId)
}

type Slice = { from: number; to: number; least: number }

function compare({ ids, width, numbers, lengths }: Entry, text: Float32Array, { from, to, least }: Slice): Seen[] {
  if (text.length !== width) return []
  const found: Seen[] = []
  for (let row = from; row < to; row++) {
    const offset = row * width
    let product = 0
    for (let at = 0; at < width; at++) product += numbers[offset + at]! * text[at]!
    const likeness = product / lengths[row]!
    if (likeness >= least) found.push({ id: ids[row]!, likeness })
  }
  return found
}
