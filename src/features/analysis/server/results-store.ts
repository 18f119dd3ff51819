import { z } from 'zod'
import type { AiAnalysis, AiProvider, Impression, WrittenAltTexts } from '#engines/ai/provider.ts'
import { FocalPoint } from '#features/media/contract.ts'
import { countRows } from '#platform/server/db/count-rows.ts'
import { partsToAsk } from '#platform/server/db/parts-to-ask.ts'
import type { Db } from '#platform/server/db/tables.ts'

type Identity = Pick<AiProvider, 'name' | 'model' | 'version'>

export const StoredResult = z.object({
  title: z.string(),
  description: z.string(),
  tags: z.array(
    z.object({
      name: z.string(),
      score: z.number(),
      source: z.enum(['classifier', 'detector', 'ocr', 'rule', 'model']),
      count: z.number().optional(),
    }),
  ),
  text: z.string(),
  impressions: z.array(z.object({ word: z.string(), likelihood: z.number() })).optional(),
  focalPoint: FocalPoint.nullish(),
})

/** The stored result of this provider, model and version for these bytes. */
export async function findResult(db: Db, sha256: string, { name, model, version }: Identity) {
  const stored = await findStored(db, sha256, { name, model, version })
  if (!stored) return undefined
  const kept = StoredResult.parse(stored)
  return { ...kept, provider: name, model, version, embedding: await findEmbedding(db, sha256) } satisfies AiAnalysis
}

export async function saveResult(db: Db, sha256: string, analysis: AiAnalysis, tookMs: number) {
  const { provider, model, version, title, description, tags, text, impressions, focalPoint, usage } = analysis
  await db
    .insertInto('ai_results')
    .values({
      sha256,
      provider,
      model,
      version,
      result: JSON.stringify({ title, description, tags, text, impressions, focalPoint }),
      tokens: usage ? usage.promptTokens + usage.completionTokens : 0,
      took_ms: Math.round(tookMs),
      created_at: Date.now(),
    })
    .onConflict((conflict) => conflict.columns(['sha256', 'provider', 'model', 'version']).doNothing())
    .execute()
  if (analysis.embedding) await saveEmbedding(db, sha256, analysis.embedding)
  if (analysis.seen) await saveSeen(db, sha256, analysis.seen)
}

const StoredAltTexts = z.object({ altTexts: z.record(z.string(), z.string()) })

/** The stored alt texts of this version, which tells their languages, for these bytes. */
export async function findAltTexts(db: Db, sha256: string, identity: Identity) {
  const stored = await findStored(db, sha256, identity)
  return stored === undefined ? undefined : StoredAltTexts.parse(stored).altTexts
}

async function findStored(db: Db, sha256: string, { name, model, version }: Identity): Promise<unknown> {
  const row = await db
    .selectFrom('ai_results')
    .select('result')
    .where('sha256', '=', sha256)
    .where('provider', '=', name)
    .where('model', '=', model)
    .where('version', '=', version)
    .executeTakeFirst()
  return row && JSON.parse(row.result)
}

type MadeAltTexts = WrittenAltTexts & { tookMs: number }

export async function saveAltTexts(db: Db, sha256: string, identity: Identity, { texts, usage, tookMs }: MadeAltTexts) {
  const { name: provider, model, version } = identity
  await db
    .insertInto('ai_results')
    .values({
      sha256,
      provider,
      model,
      version,
      result: JSON.stringify({ altTexts: texts }),
      tokens: usage.promptTokens + usage.completionTokens,
      took_ms: Math.round(tookMs),
      created_at: Date.now(),
    })
    .onConflict((conflict) => conflict.columns(['sha256', 'provider', 'model', 'version']).doNothing())
    .execute()
}

/** What the built-in AI found each of these files to be like; a file that it has not analyzed is absent. */
export async function listImpressions(db: Db, hashes: string[]): Promise<Map<string, Impression[]>> {
  const rows = await db
    .selectFrom('ai_results')
    .select(['sha256', 'result'])
    .where('sha256', 'in', hashes)
    .where('provider', '=', 'local')
    .orderBy('created_at')
    .execute()
  return new Map(rows.map(({ sha256, result }) => [sha256, StoredResult.parse(JSON.parse(result)).impressions ?? []]))
}

async function saveSeen(db: Db, sha256: string, seen: Uint8Array) {
  const vector = Buffer.from(seen)
  await db
    .insertInto('seen')
    .values({ sha256, vector })
    .onConflict((conflict) => conflict.column('sha256').doUpdateSet({ vector }))
    .execute()
}

/** The focal point that the built-in AI found last, also for an item that another provider describes. */
export async function findFocalPoint(db: Db, sha256: string) {
  const row = await db
    .selectFrom('ai_results')
    .select('result')
    .where('sha256', '=', sha256)
    .where('provider', '=', 'local')
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ? (StoredResult.parse(JSON.parse(row.result)).focalPoint ?? null) : null
}

async function saveEmbedding(db: Db, sha256: string, vector: Uint8Array) {
  await db
    .insertInto('embeddings')
    .values({ sha256, vector: Buffer.from(vector) })
    .onConflict((conflict) => conflict.column('sha256').doUpdateSet({ vector: Buffer.from(vector) }))
    .execute()
}

/** Keeps the embedding of bytes that were analyzed themselves. */
export async function insertEmbedding(db: Db, sha256: string, vector: Uint8Array) {
  await db
    .insertInto('embeddings')
    .values({ sha256, vector: Buffer.from(vector) })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function findEmbedding(db: Db, sha256: string): Promise<Uint8Array | null> {
  const row = await db.selectFrom('embeddings').select('vector').where('sha256', '=', sha256).executeTakeFirst()
  return row?.vector ?? null
}

export async function listEmbeddings(db: Db, hashes: string[]) {
  if (hashes.length === 0) return new Map<string, Uint8Array>()
  const rows = await db.selectFrom('embeddings').selectAll().where('sha256', 'in', hashes).execute()
  return new Map(rows.map(({ sha256, vector }) => [sha256, vector]))
}

/** The average cost of a picture so far; undefined before the first one. */
export async function averageCost(db: Db, { name, model }: Identity) {
  const recent = db
    .selectFrom('ai_results')
    .select(['tokens', 'took_ms'])
    .where('provider', '=', name)
    .where('model', '=', model)
    .orderBy('created_at', 'desc')
    .limit(100)
    .as('recent')
  const { tokens, tookMs } = await db
    .selectFrom(recent)
    .select(({ fn }) => [fn.avg<number>('tokens').as('tokens'), fn.avg<number | null>('took_ms').as('tookMs')])
    .executeTakeFirstOrThrow()
  return tookMs === null ? undefined : { tokens, tookMs }
}

/**
 * How many of the hashes this provider has already analyzed for this owner. Results of other users' items are reused too,
 * but counting them would reveal what others have.
 */
export async function countKnown(db: Db, ownerId: number, hashes: string[], { name, model, version }: Identity) {
  let known = 0
  for (const part of partsToAsk(hashes)) {
    const ofProvider = db.selectFrom('ai_results').where('provider', '=', name).where('model', '=', model)
    const analyzedForOwner = db
      .selectFrom('media')
      .select('blob')
      .where('owner_id', '=', ownerId)
      .where('blob', 'in', part)
      .where('ai_provider', '=', name)
      .where('ai_model', '=', model)
    known += await countRows(ofProvider.where('version', '=', version).where('sha256', 'in', analyzedForOwner))
  }
  return known
}
