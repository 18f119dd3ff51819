import { MediaPatch } from '#features/media/contract.ts'
import { mediaIdOf, type PutBack } from '#features/media/server/history.ts'
import type { Owned } from '#features/media/server/owned.ts'
import { listTagsByMedia, loadOwnedMediaList, updateMedia } from '#features/media/server/store.ts'
import { forgetRemoved, listOwnTags, replaceTags, setTagsByPerson } from '#features/media/server/tags.ts'
import type { MediaRow, TagRow } from '#features/media/server/to-media.ts'
import { changedAltTexts } from '#features/media/server/words.ts'
import { AltTextChanges } from '#features/media/words-contract.ts'
import { AppError } from '#platform/errors.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { keepExtension, safeTypedName } from '#shared/filenames.ts'
import { sortKey } from '#shared/fold.ts'
import { languageOf, type Values, valuesOf } from './columns.ts'

const { filename, title, userDescription, aiTags, creator, licence } = MediaPatch.shape
const schemas = { name: filename, title, description: userDescription, tags: aiTags, creator, licence }

type Checked = { value: string | string[] } | { message: string }

/** What a cell becomes by the rules of each field, or the sentence that says why it cannot. */
export function checkCell(column: string, cell: string, row: Pick<MediaRow, 'filename'>): Checked {
  const language = languageOf(column)
  if (language) {
    const { data, error } = AltTextChanges.safeParse({ [language]: cell })
    return error ? { message: error.issues[0]!.message } : { value: data[language] ?? '' }
  }
  const given = column === 'tags' ? splitTags(cell) : cell
  const { data, error } = schemas[column as keyof typeof schemas].safeParse(given)
  if (error) return { message: error.issues[0]!.message }
  if (column === 'name') return { value: safeTypedName(keepExtension(String(data), row.filename)) }
  return { value: data ?? '' }
}

const splitTags = (cell: string) => [
  ...new Set(
    cell
      .split(',')
      .map((tag) => tag.trim().toLowerCase())
      .filter(Boolean),
  ),
]

/** Writes the given values of a locked item; others stay. */
export async function writeValues(transaction: Db, row: Owned<MediaRow>, values: Values) {
  const { name, description, tags } = values
  const altTexts = Object.entries(values).flatMap(([column, text]) => {
    const language = languageOf(column)
    return language ? [[language, text || null]] : []
  })
  await updateMedia(transaction, row.id, {
    ...(typeof name === 'string' && { filename: name, name_key: sortKey(name) }),
    ...(description !== undefined && { user_description: textOf(description) }),
    ...(values.title !== undefined && { title: textOf(values.title) }),
    ...(values.creator !== undefined && { creator: textOf(values.creator) }),
    ...(values.licence !== undefined && { licence: textOf(values.licence) }),
    ...(altTexts.length > 0 && { alt_texts: changedAltTexts(row, Object.fromEntries(altTexts)) }),
  })
  if (Array.isArray(tags)) await setTagsByPerson(transaction, row, tags)
}

const textOf = (value: string | string[]) => (typeof value === 'string' && value ? value : null)

/** Restores each value that is still the one of the table; see [Note: Undo never overwrites]. */
export const putTableBack: PutBack = async (transaction, items) => {
  const ids = items.map(mediaIdOf)
  const [owner] = await transaction.selectFrom('media').select('owner_id').where('id', 'in', ids).limit(1).execute()
  const rows = owner ? await loadOwnedMediaList(transaction, owner.owner_id, ids) : []
  const tags = await listTagsByMedia(transaction, ids)
  const byId = new Map(rows.map((row) => [row.id, row]))
  const undone: number[] = []
  for (const item of items) {
    const row = byId.get(mediaIdOf(item))
    if (!row) continue
    const now = valuesOf(
      row,
      (tags.get(row.id) ?? []).map(({ tag }) => tag),
    )
    const [before, after]: Values[] = [JSON.parse(item.input!), JSON.parse(item.output!)]
    const same = Object.keys(after!).filter((column) => isSame(now[column], after![column]))
    if (same.length === 0) continue
    const { tags: earlierTags, ...values } = Object.fromEntries(same.map((column) => [column, before![column]!]))
    try {
      await writeValues(transaction, row, values)
      if (Array.isArray(earlierTags)) await putTagsBack(transaction, row, earlierTags)
      undone.push(row.id)
    } catch (error) {
      // Such as alt texts in too many languages since.
      if (!(error instanceof AppError)) throw error
    }
  }
  return undone
}

/** An undo says nothing about a tag: the ones that it takes off are not remembered as removed by the user. */
async function putTagsBack(db: Db, row: Owned<MediaRow>, tags: string[]) {
  const known = new Map((await listOwnTags(db, row.id)).map((tag) => [tag.tag, tag]))
  const rows = tags.map((tag): TagRow => known.get(tag) ?? { tag, source: 'person', score: null })
  await replaceTags(db, row, rows)
  await forgetRemoved(db, [row.id], tags)
}

const isSame = (first: Values[string] | undefined, second: Values[string] | undefined) =>
  JSON.stringify(first ?? '') === JSON.stringify(second ?? '')
