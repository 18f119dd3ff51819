import { createHash } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { migrate } from '#platform/server/db/migrate.ts'
import { openSqlite } from '#platform/server/db/sqlite.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { batchesOf } from '#shared/chunks.ts'
import { countOf } from '#shared/count.ts'
import type { BackupServices } from './backup-services.ts'
import { damagedBackup } from './folder/backup-faults.ts'
import { type Manifest, readPacked } from './folder/snapshots.ts'
import { type DatabaseRecord, loadSchemaVersion, writeDocument } from './library/library-document.ts'
import { checkDocument, filesOf, type LibraryRecord, loadKnown, readDocument } from './library/read-document.ts'
import { replaceLibrary } from './library/replace-library.ts'
import { copyFromLibrary } from './library-files.ts'
import { listBackups, setProven } from './store.ts'

/**
 * Proves that the newest backup can be restored: it is restored into a scratch database, exported again and compared row by
 * row, and every file is read and hashed.
 */
export async function proveNewestBackup(services: BackupServices, signal?: AbortSignal) {
  const { db, backupFolder, log } = services
  await backupFolder.prepare()
  const newest = (await listBackups(db, backupFolder))[0]
  const manifest = newest && (await backupFolder.readManifest(newest.id))
  if (!manifest) return
  await proveFiles(services, manifest, signal)
  // The scratch database is in the backup folder too.
  await proveRows(services, manifest).catch(backupFolder.throwExplained)
  const provenAt = new Date()
  await backupFolder.markProven(manifest.id, provenAt.toISOString())
  await setProven(db, manifest.id, provenAt.getTime())
  log.info({ backup: manifest.id }, 'backup restore tested')
}

/** Damaged files are fetched from the library again; the backup counts as damaged only if the library lost them too. */
async function proveFiles(services: BackupServices, manifest: Manifest, signal?: AbortSignal) {
  const { db, backupFolder, log } = services
  const names: string[] = []
  const schema = await loadSchemaVersion(db)
  await checkDocument(readPacked(backupFolder.documentPath(manifest.id), manifest.database, { schema }), (file) => {
    if (!file.isMissing) names.push(file.sha256)
  })
  const lost: string[] = []
  for (const sha256 of names) {
    signal?.throwIfAborted()
    if (await backupFolder.setAsideUnlessWhole(sha256)) continue
    const state = await copyFromLibrary(services, sha256)
    log.warn({ sha256, isRepaired: state === 'ok' }, 'backup file was damaged')
    if (state !== 'ok') lost.push(sha256)
  }
  if (lost.length > 0)
    throw damagedBackup(
      `${countOf(lost.length, 'of its files is', 'of its files are')} damaged or missing, the first is ${lost[0]}`,
    )
}

async function proveRows({ backupFolder }: BackupServices, manifest: Manifest) {
  const folder = backupFolder.temporaryPath()
  await mkdir(folder, { mode: 0o700 })
  let scratch: ReturnType<typeof openSqlite> | undefined
  try {
    scratch = openSqlite(join(folder, 'scratch.db'))
    await migrate(scratch.migrations)
    const { schema, columns } = await loadKnown(scratch.db)
    const records = () => readPacked(backupFolder.documentPath(manifest.id), manifest.database, { schema })
    const shared = new Map<string, string[]>()
    const expected = await digestOf(records(), ({ table, record }) => {
      const names = Object.keys(record).filter((name) => columns.get(table)!.columns.has(name))
      shared.set(table, names)
      return names
    })
    await scratch.db.transaction().execute(async (transaction) => {
      await insertFiles(transaction, records())
      await replaceLibrary(transaction, { records: records(), columns })
    })
    const restored = await digestOf(
      readDocument(asBuffers(writeDocument(scratch.db)), { schema }),
      ({ table }) => shared.get(table) ?? [],
    )
    if (restored !== expected) throw damagedBackup('a test restore does not match it')
  } finally {
    await scratch?.close()
    await rm(folder, { recursive: true, force: true })
  }
}

const filesPerStatement = 500

async function insertFiles(db: Db, records: AsyncIterable<LibraryRecord>) {
  for await (const files of batchesOf(filesOf(records), filesPerStatement)) {
    const rows = files.map(({ sha256, bytes }) => ({ sha256, bytes, created_at: 0 }))
    await db.insertInto('blobs').values(rows).execute()
  }
}

type DatabaseEntry = { table: string; record: DatabaseRecord }

/**
 * An order-independent digest, since databases sort text differently. It covers the columns that both the document and the
 * current schema have.
 */
async function digestOf(records: AsyncIterable<LibraryRecord>, columnsOf: (entry: DatabaseEntry) => string[]) {
  const sums = new Map<string, bigint>()
  for await (const { table, record: value } of records) {
    if (table === 'files') continue
    const record = value as DatabaseRecord
    const entries = columnsOf({ table, record })
      .toSorted()
      .map((name) => [name, record[name]])
    const hash = createHash('sha256').update(JSON.stringify(entries)).digest('hex')
    sums.set(table, BigInt.asUintN(256, (sums.get(table) ?? 0n) + BigInt(`0x${hash}`)))
  }
  return JSON.stringify([...sums].map(([table, sum]) => [table, sum.toString(16)]))
}

async function* asBuffers(chunks: AsyncIterable<string>) {
  for await (const chunk of chunks) yield Buffer.from(chunk)
}
