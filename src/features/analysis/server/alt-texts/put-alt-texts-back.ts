import { mediaIdOf, type PutBack } from '#features/media/server/history.ts'
import { updateMedia } from '#features/media/server/store.ts'
import { altTextsOf, changedAltTexts } from '#features/media/server/words.ts'
import { AppliedAltTexts } from './alt-texts-store.ts'

/** Restores the languages whose text is still the one that the run wrote; see [Note: Undo never overwrites]. */
export const putAltTextsBack: PutBack = async (transaction, items) => {
  const restored: number[] = []
  for (const item of items) {
    const id = mediaIdOf(item)
    const row = await transaction.selectFrom('media').select('alt_texts').where('id', '=', id).executeTakeFirst()
    if (!row) continue
    const now = altTextsOf(row)
    const changes = AppliedAltTexts.parse(JSON.parse(item.output!)).filter(
      ({ language, after }) => now[language] === after,
    )
    if (changes.length === 0) continue
    const before = Object.fromEntries(changes.map((change) => [change.language, change.before]))
    await updateMedia(transaction, id, { alt_texts: changedAltTexts(row, before) })
    restored.push(id)
  }
  return restored
}
