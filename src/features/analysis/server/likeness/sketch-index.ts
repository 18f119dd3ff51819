import type { Kysely } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Row, Tables } from '#platform/server/db/tables.ts'
import { nearestSketches } from './nearest-sketches.ts'
import { sketchBytes } from './sketch.ts'

type Kind = Row<'sketches'>['kind']

export type SketchIndex = {
  /** The items of a library whose sketches differ least, the nearest first. */
  findNearest(ownerId: number, kind: Kind, sketch: Uint8Array, count: number): Promise<NearSketch[]>
}

/** `distance` is the number of bits that differ. */
type NearSketch = { id: number; distance: number }

const words = sketchBytes / 4
const rowsPerRead = 5000
/** Enough for about five libraries of 100,000 items; the least recently used one is evicted first. */
const defaultMaxBytes = 64 * 1024 * 1024
/** After this time it is read again, to drop deleted items. */
const freshMs = 10 * 60_000
/** A lower id may be committed after a higher one was read. */
const overlap = 1000

/**
 * Caches each library's sketches and then reads only new ones. A library that is larger than the cache is read in parts for
 * every search. Deleted items may be returned for a while, so the caller has to check that items exist.
 */
export function createSketchIndex(slowReads: Kysely<Tables>, { maxBytes = defaultMaxBytes } = {}): SketchIndex {
  const cache = new LRUCache<string, CacheEntry>({
    maxSize: maxBytes,
    sizeCalculation: ({ bits }) => bits.byteLength + 1,
  })
  const tooLarge = new LRUCache<string, true>({ max: 1000, ttl: freshMs })
  const reading = new Map<string, Promise<CacheEntry | undefined>>()

  /** Undefined if the library's sketches take more memory than the cache may. */
  async function loadEntry(ownerId: number, kind: Kind): Promise<CacheEntry | undefined> {
    const name = `${kind} ${ownerId}`
    const running = reading.get(name)
    if (running || tooLarge.has(name)) return running
    const known = cache.get(name)
    const entry = known && known.readAt > Date.now() - freshMs ? known : emptyEntry()
    const refreshing = readNew(slowReads, entry, { ownerId, kind, maxBytes }).finally(() => reading.delete(name))
    reading.set(name, refreshing)
    const read = await refreshing
    // The cache measures an entry when it is set, and the entry may have grown.
    cache.delete(name)
    if (read) cache.set(name, read)
    else tooLarge.set(name, true)
    return read
  }

  return {
    async findNearest(ownerId, kind, sketch, count) {
      const wanted = asWords(sketch)
      const entry = await loadEntry(ownerId, kind)
      if (entry) return nearestIn(entry, wanted, count)
      let nearest: NearSketch[] = []
      for await (const rows of readSketches(slowReads, { ownerId, kind, after: 0 })) {
        const part = emptyEntry()
        for (const { media_id, bits } of rows) put(part, media_id, bits)
        nearest = [...nearest, ...nearestIn(part, wanted, count)]
          .sort((a, b) => a.distance - b.distance)
          .slice(0, count)
      }
      return nearest
    },
  }
}

function nearestIn({ ids, bits }: CacheEntry, wanted: Int32Array, count: number): NearSketch[] {
  const near = nearestSketches(bits.subarray(0, ids.length * words), wanted, count)
  return near.map(({ slot, distance }) => ({ id: ids[slot]!, distance }))
}

type CacheEntry = { slots: Map<number, number>; ids: number[]; bits: Int32Array; lastId: number; readAt: number }

const emptyEntry = (): CacheEntry => ({
  slots: new Map(),
  ids: [],
  bits: new Int32Array(0),
  lastId: 0,
  readAt: Date.now(),
})

type Library = { ownerId: number; kind: Kind }

async function readNew(
  db: Kysely<Tables>,
  entry: CacheEntry,
  { maxBytes, ...library }: Library & { maxBytes: number },
) {
  for await (const rows of readSketches(db, { ...library, after: Math.max(0, entry.lastId - overlap) })) {
    for (const { media_id, bits } of rows) put(entry, media_id, bits)
    entry.lastId = Math.max(entry.lastId, rows.at(-1)!.id)
    if (entry.bits.byteLength > maxBytes) return undefined
  }
  return entry
}

async function* readSketches(db: Kysely<Tables>, { ownerId, kind, after }: Library & { after: number }) {
  for (let from = after; ; ) {
    const rows = await db
      .selectFrom('sketches')
      .select(['id', 'media_id', 'bits'])
      .where('owner_id', '=', ownerId)
      .where('kind', '=', kind)
      .where('id', '>', from)
      .orderBy('id')
      .limit(rowsPerRead)
      .execute()
    if (rows.length > 0) yield rows
    if (rows.length < rowsPerRead) return
    from = rows.at(-1)!.id
  }
}

function put(entry: CacheEntry, mediaId: number, bits: Uint8Array) {
  const slot = entry.slots.get(mediaId) ?? entry.ids.length
  if (slot === entry.ids.length) {
    entry.ids.push(mediaId)
    entry.slots.set(mediaId, slot)
  }
  if ((slot + 1) * words > entry.bits.length) {
    const larger = new Int32Array(Math.max(64 * words, entry.bits.length * 1.5))
    larger.set(entry.bits)
    entry.bits = larger
  }
  entry.bits.set(asWords(bits), slot * words)
}

/** Copied, as a database buffer may not be aligned to four bytes. */
const asWords = (bytes: Uint8Array) => new Int32Array(Uint8Array.from(bytes).buffer)
