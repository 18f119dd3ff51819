import assert from 'node:assert/strict'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeJpeg } from '../support/pictures.ts'
import { until } from '../support/until.ts'
import { counted, type Fault } from './fault.ts'
import { ask, deliveredHash, type Library, openLibrary, sha256, upload } from './library.ts'

/**
 * Damages one stored file and deletes another before the first backup. Then damages a file that a backup already has, but
 * only in the library, as with `BACKUP_DIR` on another disk.
 */
export const corruptFile: Fault = async () => {
  await using library = await openLibrary()
  setFirstAutomatic(library, Date.now() + 24 * 3600_000)
  const { send } = library
  const files = await Promise.all(
    ['changed', 'removed', 'sound'].map(async (name) => ({ name: `${name}.jpg`, bytes: await makeJpeg() })),
  )
  const media = await upload(send, files)
  const [changed, removed, sound] = files.map(({ bytes }) => pathOf(library, sha256(bytes)))
  await damage(changed!)
  await rm(removed!)

  const { backup } = (await (await send('POST', '/api/admin/backups/create')).json()) as {
    backup: { missingCount: number }
  }
  assert.equal(backup.missingCount, 2, 'the next backup names both')
  await send('POST', '/api/admin/integrity-check')
  const report = await untilChecked(library)
  assert.deepEqual([report.damaged, report.missing], [1, 1])
  assert.deepEqual(report.affected.map(({ filename }) => filename).sort(), ['changed.jpg', 'removed.jpg'])

  for (const item of media) {
    const thumbnail = await send('GET', item.thumbnailUrl)
    assert.equal(thumbnail.status, 200, `${item.filename} still has a picture to show`)
    await thumbnail.arrayBuffer()
  }
  const gone = await send('GET', media[1]!.originalUrl)
  assert.equal(gone.status, 404)
  assert.ok(((await gone.json()) as { message: string }).message)
  assert.equal(await deliveredHash(send, media[2]!), sha256(files[2]!.bytes))
  // Uploading the same bytes again repairs both.
  const again = await upload(send, files.slice(0, 2))
  for (const [index, item] of again.entries())
    assert.equal(await deliveredHash(send, item), sha256(files[index]!.bytes))
  for (const [index, item] of media.slice(0, 2).entries())
    assert.equal(await deliveredHash(send, item), sha256(files[index]!.bytes))

  await damage(sound!)
  setFirstAutomatic(library, Date.now())
  const named = await until('the automatic check has found the file', async () => {
    const { affected } = await loadReport(library)
    return affected.length > 0 && affected
  })
  assert.deepEqual(named, [{ ...named[0], filename: 'sound.jpg', state: 'damaged' }])
  const automatic = (await listBackups(library)).find(({ type }) => type === 'automatic')
  assert.equal(automatic?.missingCount, 0, 'it was named after that backup, which has it whole')
  for (const item of media.slice(0, 2)) assert.equal((await send('GET', item.originalUrl)).status, 200)
  return [
    counted('a library file damaged after its backup: reported after the next automatic backup', {
      figure: '1 of 1 reported automatically; its backup is intact, other files work',
      toReach: 'reported within one backup',
      isReached: true,
    }),
    counted('stored files damaged or missing: reported by the next backup and by the file check', {
      figure: '2 of 2 reported by both; thumbnails remain; uploading the files again repairs them',
      toReach: 'reported within one backup',
      isReached: true,
    }),
  ]
}

const pathOf = ({ directory }: Library, hash: string) =>
  join(directory, 'blobs', hash.slice(0, 2), hash.slice(2, 4), hash)

/** Sets the time of the first automatic backup, which otherwise comes later. */
function setFirstAutomatic({ directory }: Library, runAt: number) {
  using database = new DatabaseSync(join(directory, 'albumen.db'), { timeout: 10_000 })
  const { changes } = database.prepare("UPDATE jobs SET run_at = ? WHERE kind = 'automatic-backup'").run(runAt)
  assert.equal(changes, 1, 'the first automatic backup is yet to come')
}

/** Writes other bytes under the file's name. */
async function damage(path: string) {
  const bytes = await readFile(path)
  bytes[bytes.length >> 1]! ^= 0xff
  await rm(path)
  await writeFile(path, bytes)
}

type Report = { isRunning: boolean; damaged: number; missing: number; affected: { filename: string; state: string }[] }

const loadReport = async ({ send }: Library) => (await ask<{ integrity: Report }>(send, '/api/admin/system')).integrity

const listBackups = async ({ send }: Library) =>
  (await ask<{ backups: { type: string; missingCount: number }[] }>(send, '/api/admin/backups')).backups

async function untilChecked(library: Library) {
  return until('the files are checked', async () => {
    const report = await loadReport(library)
    return !report.isRunning && report
  })
}
