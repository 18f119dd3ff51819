import { suggestFromNeighbours } from '#engines/ai/similarity.ts'
import { normaliseTags, tagKey } from '#engines/ai/tags.ts'
import type { Owned } from '#features/media/server/owned.ts'
import { listTagsByMedia } from '#features/media/server/store.ts'
import { listOwnTags, listUnwantedTags } from '#features/media/server/tags.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import { checkChange } from '#platform/server/db/change.ts'
import { requireAi } from './ai.ts'
import type { AnalysisServices } from './analyze-media.ts'
import { findSimilar } from './likeness/similar.ts'
import { obtainAnalysis } from './obtain-analysis.ts'

const maxSuggestions = 20
const maxComparedNeighbors = 50
/** A tag that appears in the item's own text scores about as much as a model's guess. */
const vocabularyScore = 0.5

/** Suggests tags from the model, from similar pictures, and from tags in the library. Changes nothing. */
export async function suggestTags(services: AnalysisServices, media: Owned<MediaRow>): Promise<string[]> {
  const { db, ai } = services
  await requireAi(ai)
  const { analysis } = await obtainAnalysis(services, media)
  const { words } = await ai.vocabularyOf(media.owner_id)
  const own = await listOwnTags(db, media.id)
  const removed = new Set((await listUnwantedTags(db, media)).map(tagKey))
  const fitting = findFittingWords(words, [media.filename, media.user_description, analysis.description, analysis.text])
  const candidates = [
    ...analysis.tags,
    ...(await tagsOfNeighbors(services, media, analysis.embedding)).map(({ name, score }) => ({
      name,
      score,
      source: 'model' as const,
    })),
    ...fitting.map((name) => ({ name, score: vocabularyScore, source: 'rule' as const })),
  ]
  await checkChange(db)
  return normaliseTags(
    candidates,
    own.map(({ tag }) => tag),
    words,
  )
    .map(({ name }) => name)
    .filter((name) => !removed.has(tagKey(name)))
    .slice(0, maxSuggestions)
}

async function tagsOfNeighbors(services: AnalysisServices, media: MediaRow, embedding: Uint8Array | null) {
  const neighbors = embedding ? await findSimilar(services, media, maxComparedNeighbors) : []
  if (!embedding || neighbors.length === 0) return []
  const tags = await listTagsByMedia(
    services.db,
    neighbors.map(({ row }) => row.id),
  )
  const tagged = neighbors.map(({ row, embedding: other }) => ({
    embedding: other,
    tags: (tags.get(row.id) ?? []).map(({ tag }) => tag),
  }))
  return suggestFromNeighbours(embedding, tagged)
}

/** Tags of the library that occur in the item's text as whole words. */
function findFittingWords(vocabulary: string[], texts: (string | null)[]): string[] {
  const text = ` ${tagKey(texts.filter(Boolean).join(' ').replace(/[_.]/g, ' '))} `
  return vocabulary.filter((word) => word.length >= 3 && text.includes(` ${tagKey(word)} `)).slice(0, maxSuggestions)
}
