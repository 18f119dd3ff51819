import assert from 'node:assert/strict'
import type { backupsApi } from '#features/backups/contract.ts'
import type { imageKitApi } from '#features/imagekit/contract.ts'
import { multipart } from '../../support/multipart.ts'
import { until } from '../../support/until.ts'
import { expectStatus } from './action.ts'
import type { Person } from './model.ts'
import { read } from './reading.ts'
import { call, said, type World } from './world.ts'

/** Actions of an administrator, some while other users continue. */
const ask = (world: World, method: string, path: string, body?: object) =>
  call(world, world.library.send, method, path, body)

export async function makeBackup(world: World): Promise<string> {
  const answer = await ask(world, 'POST', '/api/admin/backups/create')
  expectStatus(answer, 201)
  const backup = said<typeof backupsApi.create>(answer).backup!
  assert.equal(backup.missingCount, 0, 'no file was missing when it was made')
  return backup.id
}

export async function restoreBackup(world: World, id: string) {
  const { send } = world.library
  const begun = await ask(world, 'POST', `/api/admin/backups/${id}/restore`, { skipSafetyBackup: true })
  assert.equal(begun.status, 200, begun.text)
  const { step, message } = await until('the restore is over', async () => {
    const progress = await read<typeof backupsApi.restoreProgress>(world, send, '/api/admin/backups/restore-progress')
    return !progress.isRestoring && progress
  })
  assert.equal(step, 'Complete', message)
}

/** Exports the whole library and imports it later; an import of rows only takes the files from a backup. */
export async function download(world: World, kind: 'backup' | 'database') {
  if (kind === 'database') await makeBackup(world)
  const answer = await world.library.send('GET', `/api/admin/${kind}/download`)
  assert.equal(answer.status, 200)
  return { kind, bytes: Buffer.from(await answer.arrayBuffer()) }
}

export async function bringBack(world: World, { kind, bytes }: Awaited<ReturnType<typeof download>>) {
  const name = kind === 'backup' ? 'library.zip' : 'library.json'
  const answer = await ask(world, 'POST', `/api/admin/${kind}/upload`, multipart([{ name, bytes }], {}, kind))
  expectStatus(answer, 200)
  assert.equal(said<typeof backupsApi.uploadAll>(answer).missingFiles, 0)
}

const imageKitPath = '/api/admin/migrate-to-imagekit'

/** Moves all files to ImageKit; users do not notice. */
export async function moveToImageKit(world: World) {
  await migrate(world, imageKitPath)
  await migrate(world, `${imageKitPath}/free-local`)
}

export const comeBackFromImageKit = (world: World) => migrate(world, '/api/admin/migrate-from-imagekit')

async function migrate(world: World, path: string) {
  expectStatus(await ask(world, 'POST', path), 200)
  const { send } = world.library
  await until('it is over', async () => !(await read<typeof imageKitApi.state>(world, send, imageKitPath)).isRunning)
}

/** Deletes all users except the one who sends the request. */
export async function resetLibrary(world: World) {
  expectStatus(await ask(world, 'POST', '/api/admin/database/reset'), 200)
}

export async function deletePerson(world: World, { id, username }: Person) {
  const { status, text } = await ask(world, 'DELETE', `/api/admin/users/${id}`)
  assert.equal(status, 200, `${username}: ${text}`)
  world.people.splice(
    world.people.findIndex((person) => person.id === id),
    1,
  )
}
