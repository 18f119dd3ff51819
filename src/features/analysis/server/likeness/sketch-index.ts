import type { Kysely } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Row, Tables } from '#platform/server/db/tables.ts'
import { countBits, sketchBits, sketchBytes } from './sketch.ts'

type Kind = Row<'sketches'>['kind']

export type SketchIndex = {
  /** The items of a library whose sketches differ least, the nearest first. */
  findNearest(ownerId: number, kind: Kind, sketch: Uint8Array, count: number): Promise<number[]>
}

const words = sketchBytes / 4
const rowsPerRead = 5000
/** About five libraries of 100,000 items; the one not asked for longest goes first. */
const mostBytes = 64 * 1024 * 1024
/** Then it is read anew, without what was deleted meanwhile. */
const freshMs = 10 * 60_000
/** A lower number may be committed after a higher one was read. */
const overlap = 1000

/** A library's sketches, read once and from then on only what is new. Deleted items stay a while: the caller misses them. */
export function createSketchIndex(slowReads: Kysely<Tables>): SketchIndex {
  const shelves = new LRUCache<string, Shelf>({
    maxSize: mostBytes,
    sizeCalculation: ({ bits }) => bits.byteLength + 1,
  })
  const reading = new Map<string, Promise<Shelf>>()

  async function openShelf(ownerId: number, kind: Kind): Promise<Shelf> {
    const name = `${kind} ${ownerId}`
    const running = reading.get(name)
    if (running) return running
    const known = shelves.get(name)
    const shelf = known && known.readAt > Date.now() - freshMs ? known : emptyShelf()
    const refreshing = readNew(slowReads, shelf, ownerId, kind).finally(() => reading.delete(name))
    reading.set(name, refreshing)
    await refreshing
    // Its size is taken when it is put there, and it may have grown.
    shelves.delete(name)
    shelves.set(name, shelf)
    return shelf
  }

  return {
    async findNearest(ownerId, kind, sketch, count) {
      return nearest(await openShelf(ownerId, kind), sketch, count)
    },
  }
}

type Shelf = { slots: Map<number, number>; ids: number[]; bits: Uint32Array; lastId: number; readAt: number }

const emptyShelf = (): Shelf => ({
  slots: new Map(),
  ids: [],
  bits: new Uint32Array(0),
  lastId: 0,
  readAt: Date.now(),
})

async function readNew(db: Kysely<Tables>, shelf: Shelf, ownerId: number, kind: Kind): Promise<Shelf> {
  let from = Math.max(0, shelf.lastId - overlap)
  for (;;) {
    const rows = await db
      .selectFrom('sketches')
      .select(['id', 'media_id', 'bits'])
      .where('owner_id', '=', ownerId)
      .where('kind', '=', kind)
      .where('id', '>', from)
      .orderBy('id')
      .limit(rowsPerRead)
      .execute()
    for (const { media_id, bits } of rows) put(shelf, media_id, bits)
    if (rows.length > 0) shelf.lastId = Math.max(shelf.lastId, rows.at(-1)!.id)
    if (rows.length < rowsPerRead) return shelf
    from = rows.at(-1)!.id
  }
}

function put(shelf: Shelf, mediaId: number, bits: Uint8Array) {
  const slot = shelf.slots.get(mediaId) ?? shelf.ids.length
  if (slot === shelf.ids.length) {
    shelf.ids.push(mediaId)
    shelf.slots.set(mediaId, slot)
  }
  if ((slot + 1) * words > shelf.bits.length) {
    const larger = new Uint32Array(Math.max(64 * words, shelf.bits.length * 1.5))
    larger.set(shelf.bits)
    shelf.bits = larger
  }
  shelf.bits.set(asWords(bits), slot * words)
}

/** One pass counts differing bits, a histogram of them says where to cut: no sorting of the whole library. */
function nearest({ ids, bits }: Shelf, sketch: Uint8Array, count: number): number[] {
  const wanted = asWords(sketch)
  const distances = new Uint16Array(ids.length)
  const histogram = new Uint32Array(sketchBits + 1)
  for (let slot = 0; slot < ids.length; slot++) {
    let distance = 0
    const offset = slot * words
    for (let at = 0; at < words; at++) distance += countBits(bits[offset + at]! ^ wanted[at]!)
    distances[slot] = distance
    histogram[distance]!++
  }
  let farthest = 0
  for (let seen = 0; farthest < sketchBits; farthest++) {
    seen += histogram[farthest]!
    if (seen >= count) break
  }
  const near: number[] = []
  for (let slot = 0; slot < ids.length; slot++) if (distances[slot]! <= farthest) near.push(slot)
  return near
    .sort((a, b) => distances[a]! - distances[b]!)
    .slice(0, count)
    .map((slot) => ids[slot]!)
}

/** Copied, because bytes from a database need not begin at a multiple of four. */
const asWords = (bytes: Uint8Array) => new Uint32Array(Uint8Array.from(bytes).buffer)
