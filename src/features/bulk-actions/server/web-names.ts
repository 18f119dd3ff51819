import type { Kysely } from 'kysely'
import { suggestNameByRules } from '#engines/ai/naming.ts'
import { listNamings } from '#features/collections/server/naming.ts'
import type { NewName } from '#features/media/contract.ts'
import { dayOf, nameContextOf } from '#features/media/server/name-facts.ts'
import { toNewName } from '#features/media/server/rename.ts'
import { listMemberships, listTagsByMedia, loadOwnedMediaList } from '#features/media/server/store.ts'
import { notFound } from '#platform/errors.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import { chunksOf } from '#shared/chunks.ts'
import { countOf } from '#shared/count.ts'
import { defaultNamePattern, nameFrom, parsePattern, uniqueWebNames } from '#shared/web-names.ts'

/** An empty pattern is that of the website. */
export type WebNaming = { pattern: string; collectionId?: number }
type Wanted = WebNaming & { mediaIds: number[] }

const itemsAtOnce = 200

/** The web names of items in the selected order, before they are given. */
export async function previewWebNames(db: Kysely<Tables>, ownerId: number, wanted: Wanted) {
  const ids = [...new Set(wanted.mediaIds)]
  const names: NewName[] = []
  const freeName = uniqueWebNames()
  let pattern = wanted.pattern
  for (const part of chunksOf(ids, itemsAtOnce)) {
    const media = new Map((await loadOwnedMediaList(db, ownerId, part)).map((row) => [row.id, row]))
    const tags = await listTagsByMedia(db, [...media.keys()])
    const namings = await namingsByMedia(db, ownerId, {
      mediaIds: [...media.keys()],
      collectionId: wanted.collectionId,
    })
    for (const id of part) {
      const row = media.get(id)
      if (!row) continue
      const { pattern: own, ...naming } = namings.get(id) ?? {}
      pattern ||= own || defaultNamePattern
      const subject = suggestNameByRules(nameContextOf(row, tags.get(id) ?? [])).name
      const facts = { ...naming, subject, date: dayOf(row), n: names.length + 1, count: ids.length }
      names.push(toNewName(row, freeName(nameFrom(parsePattern(pattern), facts, row.filename))))
    }
  }
  if (names.length === 0) throw notFound('Media')
  const changed = names.filter(({ from, to }) => from !== to).length
  const summary = { successful: changed, failed: ids.length - names.length }
  return { message: `${countOf(changed, 'name')} would change.`, summary, errors: [], names, pattern }
}

type Members = { mediaIds: number[]; collectionId?: number }

/** The naming of each item's first collection, unless one is given. */
async function namingsByMedia(db: Db, ownerId: number, { mediaIds, collectionId }: Members) {
  const memberships = collectionId === undefined && mediaIds.length > 0 ? await listMemberships(db, mediaIds) : []
  const firsts = new Map(memberships.toReversed().map(({ media_id, id }) => [media_id, id]))
  const collections = collectionId === undefined ? [...firsts.values()] : [collectionId]
  const namings = await listNamings(db, ownerId, collections)
  return new Map(mediaIds.map((id) => [id, namings.get(collectionId ?? firsts.get(id) ?? 0)]))
}
