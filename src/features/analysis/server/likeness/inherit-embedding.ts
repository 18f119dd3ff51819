import type { MediaRow } from '#features/media/server/to-media.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { findEmbedding, insertEmbedding } from '../results-store.ts'
import { asInt8, makeSketch } from './sketch.ts'
import { saveSketch } from './sketches-store.ts'

type Shown = Pick<MediaRow, 'id' | 'owner_id' | 'blob'>

/** A file derived from a picture shows the same content, so it reuses the embedding and sketch and needs no new analysis. */
export async function inheritEmbedding(db: Db, from: Shown, to: Shown) {
  const embedding = await findEmbedding(db, from.blob)
  if (!embedding) return
  await insertEmbedding(db, to.blob, embedding)
  if (to.id !== from.id) await saveSketch(db, 'picture', to, makeSketch(asInt8(embedding)))
}
