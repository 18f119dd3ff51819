import type { Kysely } from 'kysely'
import { compareEmbeddings } from '#engines/ai/similarity.ts'
import type { FindSimilar } from '#features/media/server/listing/listing.ts'
import { firstVersionOf } from '#features/media/server/media.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import type { Ai } from '../ai.ts'
import { findEmbedding, listEmbeddings } from '../results-store.ts'
import { asInt8, likenessOfSketches, makeSketch } from './sketch.ts'

/** The number of nearest sketches that are compared exactly, well above the number shown. */
const compared = 300
/** Pictures with a lower similarity are unrelated. */
const minSimilarity = 0.5

type Services = { db: Kysely<Tables>; ai: Ai }
type Neighbor = { row: MediaRow; likeness: number }
type ComparedNeighbor = Neighbor & { embedding: Uint8Array }

/** Similar items of the same library, the most similar first. Empty if the picture was never analyzed. */
export async function findSimilar({ db, ai }: Services, media: MediaRow, limit: number): Promise<ComparedNeighbor[]> {
  const own = await findEmbedding(db, media.blob)
  if (!own) return []
  const near = await ai.sketches.findNearest(media.owner_id, 'picture', makeSketch(asInt8(own)), compared)
  const ids = near.map(({ id }) => id)
  const rows = (await loadWithCopies(db, media.owner_id, ids, [media.blob])).filter(({ id }) => id !== media.id)
  const embeddings = await listEmbeddings(db, [...new Set(rows.map(({ blob }) => blob))])
  const neighbors = rows.flatMap((row) => {
    const embedding = embeddings.get(row.blob)
    return embedding ? [{ row, embedding, likeness: compareEmbeddings(own, embedding) }] : []
  })
  return mostSimilar(neighbors).slice(0, limit)
}

/** For people: an item's neighbors without its other versions, and one version of each similar picture. */
export function createFindSimilar(services: Services): FindSimilar {
  return async (ownerId, subject) => {
    if (subject instanceof Uint8Array) return idsOf(await findSimilarToSketch(services, ownerId, subject))
    return idsOf(await findSimilar(services, subject, Number.POSITIVE_INFINITY), firstVersionOf(subject))
  }
}

/** Of a picture outside the library only the sketch is known, so the likeness is an estimate. */
async function findSimilarToSketch({ db, ai }: Services, ownerId: number, sketch: Uint8Array): Promise<Neighbor[]> {
  const near = await ai.sketches.findNearest(ownerId, 'picture', sketch, compared)
  const distances = new Map(near.map(({ id, distance }) => [id, distance]))
  const rows = await loadWithCopies(db, ownerId, [...distances.keys()])
  // A copy has no sketch of its own, so it takes that of the item with the same bytes.
  const ofBytes = new Map(
    rows.map(({ id, blob }) => [blob, distances.get(id)] as const).filter(([, found]) => found !== undefined),
  )
  const neighbors = rows.flatMap((row) => {
    const distance = distances.get(row.id) ?? ofBytes.get(row.blob)
    return distance === undefined ? [] : [{ row, likeness: likenessOfSketches(distance) }]
  })
  return mostSimilar(neighbors)
}

const mostSimilar = <Each extends Neighbor>(neighbors: Each[]) =>
  neighbors
    .filter(({ likeness }) => likeness >= minSimilarity)
    .sort((a, b) => b.likeness - a.likeness || b.row.id - a.row.id)

function idsOf(neighbors: Neighbor[], ownVersion?: number) {
  const oldest = new Map<number, number>()
  for (const { row } of neighbors) {
    const first = firstVersionOf(row)
    oldest.set(first, Math.min(row.id, oldest.get(first) ?? row.id))
  }
  if (ownVersion !== undefined) oldest.delete(ownVersion)
  return neighbors.filter(({ row }) => oldest.get(firstVersionOf(row)) === row.id).map(({ row }) => row.id)
}

/** Adds copies, which have the same bytes but no sketch. The bytes are indexed. */
async function loadWithCopies(db: Kysely<Tables>, ownerId: number, ids: number[], moreBlobs: string[] = []) {
  const near = ids.length > 0 ? await db.selectFrom('media').select('blob').where('id', 'in', ids).execute() : []
  const blobs = [...new Set([...moreBlobs, ...near.map((row) => row.blob)])]
  if (blobs.length === 0) return []
  const rows = await db.selectFrom('media').selectAll().where('blob', 'in', blobs).execute()
  return rows.filter((row) => row.owner_id === ownerId && row.is_trashed === 0)
}
