import type { Kysely } from 'kysely'
import { compareEmbeddings } from '#engines/ai/similarity.ts'
import { firstVersionOf } from '#features/media/server/media.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import type { Ai } from '../ai.ts'
import { findEmbedding, listEmbeddings } from '../results-store.ts'
import { asInt8, makeSketch } from './sketch.ts'

/** The number of nearest sketches that are compared exactly, well above the number shown. */
const compared = 300
/** Pictures with a lower similarity are unrelated. */
const minSimilarity = 0.5

type Neighbor = { row: MediaRow; embedding: Uint8Array; likeness: number }

/** Similar items of the same library, the most similar first. Empty if the picture was never analyzed. */
export async function findSimilar(
  { db, ai }: { db: Kysely<Tables>; ai: Ai },
  media: MediaRow,
  limit: number,
): Promise<Neighbor[]> {
  const own = await findEmbedding(db, media.blob)
  if (!own) return []
  const ids = await ai.sketches.findNearest(media.owner_id, 'picture', makeSketch(asInt8(own)), compared)
  const rows = await loadWithCopies(db, media, ids)
  const embeddings = await listEmbeddings(db, [...new Set(rows.map(({ blob }) => blob))])
  return rows
    .flatMap((row) => {
      const embedding = embeddings.get(row.blob)
      return embedding ? [{ row, embedding, likeness: compareEmbeddings(own, embedding) }] : []
    })
    .filter(({ likeness }) => likeness >= minSimilarity)
    .sort((a, b) => b.likeness - a.likeness || b.row.id - a.row.id)
    .slice(0, limit)
}

/** The same for people: without other versions of the item, and with one version of each similar picture. */
export async function findSimilarPictures(
  services: { db: Kysely<Tables>; ai: Ai },
  media: MediaRow,
  limit: number,
): Promise<Neighbor[]> {
  const neighbors = await findSimilar(services, media, Number.POSITIVE_INFINITY)
  const oldest = new Map<number, number>()
  for (const { row } of neighbors) {
    const first = firstVersionOf(row)
    oldest.set(first, Math.min(row.id, oldest.get(first) ?? row.id))
  }
  oldest.delete(firstVersionOf(media))
  return neighbors.filter(({ row }) => oldest.get(firstVersionOf(row)) === row.id).slice(0, limit)
}

/** Adds copies, which have the same bytes but no sketch. The bytes are indexed. */
async function loadWithCopies(db: Kysely<Tables>, { id, blob, owner_id }: MediaRow, ids: number[]) {
  const near = ids.length > 0 ? await db.selectFrom('media').select('blob').where('id', 'in', ids).execute() : []
  const blobs = [...new Set([blob, ...near.map((row) => row.blob)])]
  const rows = await db.selectFrom('media').selectAll().where('blob', 'in', blobs).execute()
  return rows.filter((row) => row.owner_id === owner_id && row.is_trashed === 0 && row.id !== id)
}
