import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { CollectionRow } from '#features/collections/server/store.ts'
import { withCounts } from '#features/media/server/listing/collection-items.ts'
import type { Db } from '#platform/server/db/tables.ts'
import type { Events } from '#platform/server/events/events.ts'

/** The longest that a page may be stale when no event announced a change. */
const keptMs = 2000
export const maxPageCacheBytes = 32 * 1024 * 1024
/** The assumed size of a page that is still being rendered. */
const assumedBytes = 64 * 1024

type Drawing = { collection: CollectionRow; changes: number; drawn: Promise<DrawnPage> }

type Drawn = { bytes: Buffer; etag?: string }

/** A rendered page with its compressed versions by encoding. */
type DrawnPage = Drawn & { packed: Map<string, Promise<Buffer>> }

/**
 * [Note: A page is drawn once for many visitors] Access is checked on every visit, but the page is rendered again only
 * when its collection's row differs, when an event reports a change of the owner's library, or after two seconds.
 */
export function createPageCache(events: Pick<Events, 'watch'>) {
  const pages = new LRUCache<string, Drawing>({
    ttl: keptMs,
    // An expired page may never be requested again, so it is removed by a timer.
    ttlAutopurge: true,
    maxSize: maxPageCacheBytes,
  })
  const changesOf = new Map<number, number>()
  let changesOfAll = 0
  events.watch((ownerId) => {
    if (ownerId === null) changesOfAll++
    else changesOf.set(ownerId, (changesOf.get(ownerId) ?? 0) + 1)
  })

  async function countItems(db: Db, collection: CollectionRow) {
    if (collection.query === null) return collection.media_count
    const count = async () => (await withCounts(db, [collection]))[0]!.media_count
    // A count of matches can take longer than sending a page.
    const { bytes } = await draw(`count ${collection.id}`, collection, async () => ({
      bytes: Buffer.from(String(await count())),
    }))
    return Number(bytes)
  }

  async function draw(key: string, collection: CollectionRow, render: () => Promise<Drawn>): Promise<DrawnPage> {
    const changes = changesOfAll + (changesOf.get(collection.owner_id) ?? 0)
    const known = pages.get(key)
    if (known?.changes === changes && isSame(known.collection, collection)) return known.drawn
    const drawn = render().then((page) => ({ ...page, packed: new Map<string, Promise<Buffer>>() }))
    const drawing = { collection, changes, drawn }
    pages.set(key, drawing, { size: assumedBytes })
    drawn.then(
      ({ bytes }) => {
        if (pages.peek(key) === drawing) pages.set(key, { ...drawing }, { size: sizeOf(bytes), noUpdateTTL: true })
      },
      () => pages.delete(key),
    )
    return drawn
  }

  return {
    keptBytes: () => pages.calculatedSize,
    draw,
    /** How many items the collection has, as current as its pages. */
    countItems,
  }
}

/** The page's bytes, and half as much for its compressed versions. */
const sizeOf = (bytes: Buffer) => Math.ceil(bytes.length * 1.5) || 1

export type PageCache = ReturnType<typeof createPageCache>

/** The page does not show the view count. */
function isSame(one: CollectionRow, other: CollectionRow) {
  if (one === other) return true
  for (const column in one) {
    const name = column as keyof CollectionRow
    if (one[name] !== other[name] && name !== 'view_count') return false
  }
  return true
}

/**
 * Sets the headers for the best encoding that the browser accepts, and returns the shared bytes. Compression runs on
 * another thread, because it takes seconds for a large page.
 */
export async function packFor(request: FastifyRequest, reply: FastifyReply, { bytes, packed }: DrawnPage) {
  const accepted = request.headers['accept-encoding'] ?? ''
  const encoding = /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : undefined
  if (!encoding || bytes.length < worthPackingBytes) return bytes
  const packing = packed.get(encoding) ?? packings[encoding](bytes)
  packed.set(encoding, packing)
  reply.header('content-encoding', encoding)
  return packing
}

const worthPackingBytes = 1024
const asBrotli = promisify(brotliCompress)
const asGzip = promisify(gzip)
const packings = {
  br: (bytes: Buffer) => asBrotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (bytes: Buffer) => asGzip(bytes, { level: 6 }),
}
