import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { makeJpeg } from '../support/pictures.ts'
import { counted, type Fault } from './fault.ts'
import { ask, deliveredHash, type Library, listAll, openLibrary, upload } from './library.ts'
import { tell } from './tell-preload.ts'

const dayMs = 24 * 3600_000
const preload = new URL('./preloads/shifted-clock.ts', import.meta.url)
/** The queue looks every two seconds. */
const settleMs = 6000
const sessionDays = 30

/** The clock jumps forward and back by hours, days and years, as after a dead battery or a wrong time server. */
export const clockShift: Fault = async () => {
  await using library = await openLibrary({ preload })
  const { send, server, account } = library
  const [media, trashed] = await upload(send, [
    { name: 'kept.jpg', bytes: await makeJpeg() },
    { name: 'trashed.jpg', bytes: await makeJpeg() },
  ])
  assert.equal((await send('POST', '/api/media/bulk-trash', { mediaIds: [trashed!.id] })).status, 200)
  const steps = [0, 1 / 24, -1 / 24, 1, 0, 1, 2, 1, 40, 0, 3, 4000, 0, 5, -300, 6]
  let newSlots = 0
  for (const days of steps) {
    await tell(server, { shiftMs: days * dayMs })
    await delay(settleMs)
    assert.equal(server.child.exitCode, null, `${days} days off: the server lives on`)
    assert.equal((await send('GET', '/api/health')).status, 200)
    const slots = (await automaticBackups(library)).map(({ timestamp }) => slotOf(timestamp))
    assert.equal(new Set(slots).size, slots.length, `${days} days off: at most one backup per scheduled time`)
    newSlots = Math.max(newSlots, slots.length)
    assert.deepEqual(await idsInTrash(library), [trashed!.id], `${days} days off: the trash is not emptied by a clock`)
  }
  // Jobs that were scheduled while the clock was ten years ahead do not delay later ones.
  const now = Date.now() + steps.at(-1)! * dayMs
  const distances = (await automaticBackups(library)).map(({ timestamp }) => Math.abs(Date.parse(timestamp) - now))
  assert.ok(Math.min(...distances) < dayMs / 2, 'backups go on after the clock was years ahead')
  assert.equal((await send('POST', '/api/login', account)).status, 200)
  await tell(server, { shiftMs: (6 + sessionDays + 1) * dayMs })
  assert.equal((await send('GET', '/api/user')).status, 401, 'a session ends in time')
  await send('POST', '/api/login', account)
  await delay(settleMs)
  assert.deepEqual(await idsInTrash(library), [trashed!.id])
  const restored = await send('POST', '/api/media/bulk-restore', { mediaIds: [trashed!.id] })
  assert.equal(restored.status, 200)
  const listed = await listAll(send)
  for (const item of listed) await deliveredHash(send, item)
  assert.deepEqual(new Set(listed.map(({ id }) => id)), new Set([media!.id, trashed!.id]))
  return [
    counted('clock set forward and back by hours, days and years', {
      figure: `${steps.length} jumps: no crash, at most one backup per scheduled time (${newSlots} turns), sessions end after ${sessionDays} days, the trash stays`,
      toReach: '1 backup per scheduled time, no crash, sessions bounded',
      isReached: true,
    }),
  ]
}

async function idsInTrash({ send }: Library) {
  const { media } = await ask<{ media: { id: number }[] }>(send, '/api/media?trashed=true')
  return media.map(({ id }) => id)
}

/** Automatic backups start at 3:00 UTC. */
const slotOf = (timestamp: string) => new Date(Date.parse(timestamp) - 3 * 3600_000).toISOString().slice(0, 10)

async function automaticBackups({ send, account }: Library) {
  const answer = await send('GET', '/api/admin/backups')
  // A jump beyond the end of the session signs the user out.
  if (answer.status === 401) await send('POST', '/api/login', account)
  const { backups } = await ask<{ backups: { type: string; timestamp: string }[] }>(send, '/api/admin/backups')
  return backups.filter(({ type }) => type === 'automatic')
}
