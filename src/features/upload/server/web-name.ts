import { listNamings } from '#features/collections/server/naming.ts'
import type { CollectionRow } from '#features/collections/server/store.ts'
import type { Owned } from '#features/media/server/owned.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { sortKey } from '#shared/fold.ts'
import { fileNameWords } from '#shared/name-words.ts'
import { defaultNamePattern, nameFrom, numberedWebName } from '#shared/web-names.ts'

type WebNaming = { pattern: string; website?: string; collection?: string }

/** An empty pattern is that of the website of the collection. */
export async function loadWebNaming(
  db: Db,
  { pattern, collection }: { pattern: string; collection?: Owned<CollectionRow> },
): Promise<WebNaming> {
  const naming = collection && (await listNamings(db, collection.owner_id, [collection.id])).get(collection.id)
  return { ...naming, pattern: pattern || naming?.pattern || defaultNamePattern }
}

const numbersAtOnce = 50

/** A web name that no other item of the owner has. A new file is named by the words of its file name. */
export async function chooseWebName(
  transaction: Db,
  ownerId: number,
  { naming, filename, n }: { naming: WebNaming; filename: string; n: number },
) {
  const subject = fileNameWords(filename).join(' ')
  const date = new Date().toISOString().slice(0, 10)
  const name = nameFrom(naming.pattern, { ...naming, subject, date, n, count: n }, filename)
  for (let first = 1; ; first += numbersAtOnce) {
    const candidates = Array.from({ length: numbersAtOnce }, (_, index) =>
      first + index === 1 ? name : numberedWebName(name, first + index),
    )
    const taken = await listTaken(transaction, ownerId, candidates)
    const free = candidates.find((candidate) => !taken.has(candidate))
    if (free) return free
  }
}

async function listTaken(db: Db, ownerId: number, names: string[]) {
  const rows = await db
    .selectFrom('media')
    .select('filename')
    .where('owner_id', '=', ownerId)
    .where('is_trashed', 'in', [0, 1])
    .where('name_key', 'in', names.map(sortKey))
    .execute()
  return new Set(rows.map(({ filename }) => filename))
}
