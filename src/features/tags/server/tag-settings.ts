import { z } from 'zod'
import { type TagColor, tagColors } from '#features/media/limits.ts'
import type { Db } from '#platform/server/db/tables.ts'

const Colored = z.object({ tag: z.string(), color: z.enum(tagColors).nullable() })

/** The colors of the tags of a change, before and after it. */
export const MovedColors = z.object({ before: z.array(Colored), after: z.array(Colored) })
export type MovedColors = z.infer<typeof MovedColors>
type Colored = z.infer<typeof Colored>

export async function listSettings(db: Db, ownerId: number, tags?: string[]) {
  const settings = db.selectFrom('tag_settings').select(['tag', 'color', 'is_never']).where('owner_id', '=', ownerId)
  return (tags ? settings.where('tag', 'in', tags) : settings).orderBy('tag').execute()
}

/** A row that says nothing any more is deleted. */
export async function saveSettings(
  db: Db,
  { ownerId, tag }: { ownerId: number; tag: string },
  changes: { color?: TagColor | null; isNever?: boolean },
) {
  const set = {
    ...(changes.color !== undefined && { color: changes.color }),
    ...(changes.isNever !== undefined && { is_never: changes.isNever ? (1 as const) : (0 as const) }),
  }
  if (Object.keys(set).length === 0) return
  await db
    .insertInto('tag_settings')
    .values({ owner_id: ownerId, tag, ...set })
    .onConflict((conflict) => conflict.columns(['owner_id', 'tag']).doUpdateSet(set))
    .execute()
  await db
    .deleteFrom('tag_settings')
    .where('owner_id', '=', ownerId)
    .where('tag', '=', tag)
    .where('color', 'is', null)
    .where('is_never', '=', 0)
    .execute()
}

/**
 * The color goes with the items to the tag that replaces others, unless that one has its own. "Never suggest" stays, since it
 * is about a word.
 */
export async function moveColors(
  db: Db,
  ownerId: number,
  { from, into }: { from: string[]; into: string | null },
): Promise<MovedColors> {
  const before = await colorsOf(db, ownerId, into === null ? from : [...from, into])
  const own = before.find(({ tag }) => tag === into)?.color
  const moved = own ?? from.map((name) => before.find(({ tag }) => tag === name)?.color).find(Boolean) ?? null
  const after = before.map(({ tag }) => ({ tag, color: tag === into ? moved : null }))
  await saveColors(db, ownerId, after)
  return { before, after }
}

/** After an undo: each color that is still the one of the change, which is true only once. */
export async function restoreSettings(db: Db, runId: number) {
  const run = await db.selectFrom('runs').select(['owner_id', 'options']).where('id', '=', runId).executeTakeFirst()
  const { data } = z.object({ colors: MovedColors }).safeParse(JSON.parse(run?.options ?? '{}'))
  if (!data || !run?.owner_id) return
  const { before, after } = data.colors
  const now = await colorsOf(
    db,
    run.owner_id,
    after.map(({ tag }) => tag),
  )
  const unchanged = before.filter(({ tag }) => find(now, tag) === find(after, tag))
  await saveColors(db, run.owner_id, unchanged)
}

const find = (colors: Colored[], tag: string) => colors.find((colored) => colored.tag === tag)?.color

/** Also of tags without one. */
async function colorsOf(db: Db, ownerId: number, tags: string[]): Promise<Colored[]> {
  const settings = tags.length > 0 ? await listSettings(db, ownerId, tags) : []
  return tags.map((tag) => ({ tag, color: settings.find((row) => row.tag === tag)?.color ?? null }))
}

async function saveColors(db: Db, ownerId: number, colors: Colored[]) {
  for (const { tag, color } of colors) await saveSettings(db, { ownerId, tag }, { color })
}
