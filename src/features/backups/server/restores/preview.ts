import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from '#platform/server/db/tables.ts'
import type { RestorePreview } from '../../contract.ts'
import type { BackupServices } from '../backup-services.ts'
import { readPacked } from '../folder/snapshots.ts'
import { type DatabaseRecord, toRecord } from '../library/library-document.ts'
import { loadKnown } from '../library/read-document.ts'

const compared = ['users', 'media', 'collections'] as const
type Compared = (typeof compared)[number]

/** The changes that a restore would make: backup and library are compared in the order of their ids. */
export async function previewRestore(
  { db, backupFolder }: Pick<BackupServices, 'db' | 'backupFolder'>,
  id: string,
): Promise<RestorePreview> {
  const manifest = await backupFolder.loadManifest(id)
  const { schema, columns } = await loadKnown(db)
  const none = () => ({ adds: 0, replaces: 0, removes: 0, keeps: 0 })
  const found: Record<Compared, ReturnType<typeof none>> = { users: none(), media: none(), collections: none() }
  const current = new Map(compared.map((table) => [table, rowsInOrder(db, table)]))
  const heads = new Map<Compared, DatabaseRecord | undefined>()
  const advance = async (table: Compared) => {
    const { value } = await current.get(table)!.next()
    heads.set(table, value ? toRecord(value, columns.get(table)!.columns) : undefined)
  }
  for (const table of compared) await advance(table)

  for await (const { table, record } of readPacked(backupFolder.documentPath(id), manifest.database, { schema })) {
    if (!isCompared(table)) continue
    const wanted = record as DatabaseRecord
    while (heads.get(table) && Number(heads.get(table)!.id) < Number(wanted.id)) {
      found[table].removes++
      await advance(table)
    }
    const head = heads.get(table)
    if (!head || head.id !== wanted.id) {
      found[table].adds++
      continue
    }
    found[table][isSame(head, wanted) ? 'keeps' : 'replaces']++
    await advance(table)
  }
  for (const table of compared) {
    for (; heads.get(table); await advance(table)) found[table].removes++
  }
  const { adds, replaces, removes } = found.media
  return { ...found, message: `adds ${adds}, replaces ${replaces}, removes ${removes}` }
}

/** Compares common columns only, since a backup of an earlier version may have other ones. */
const isSame = (row: DatabaseRecord, wanted: DatabaseRecord) =>
  Object.keys(row).every((name) => !(name in wanted) || row[name] === wanted[name])

const isCompared = (table: string): table is Compared => (compared as readonly string[]).includes(table)

async function* rowsInOrder(db: Db, table: Compared): AsyncGenerator<DatabaseRecord, undefined> {
  for (let last = 0; ; ) {
    const { rows } = await sql<DatabaseRecord>`
      SELECT * FROM ${sql.table(table)} WHERE id > ${last} ORDER BY id LIMIT 500`.execute(db)
    yield* rows
    if (rows.length < 500) return
    last = Number(rows.at(-1)!.id)
    await nextTurn()
  }
}
