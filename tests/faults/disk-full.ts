import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { multipart } from '../support/multipart.ts'
import { makeJpeg } from '../support/pictures.ts'
import { counted, type Fault } from './fault.ts'
import { checkCounters, deliveredHash, type Library, listAll, openLibrary, untilTidy, upload } from './library.ts'
import { tell } from './tell-preload.ts'

const preload = new URL('./preloads/shifted-clock.ts', import.meta.url)
const hourMs = 61 * 60_000
/** State that could not be written on the full disk is written a second later, or ten. */
const strayRecordedMs = 15_000
const diskBytes = 64 * 2 ** 20
/** A separate disk for the data, visible only to the server; `$1` is the folder. */
const onSmallDisk = `mount -t tmpfs -o size=${diskBytes} tmpfs "$DATA_DIR" && cd "$DATA_DIR" && exec "$@"`
const under = ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c', onSmallDisk, 'sh']

export const diskFull: Fault = async ({ rounds }) => {
  if (!(await canMount())) {
    const figure = 'not shown: needs Linux with user namespaces (unshare)'
    return [counted('disk full', { figure, toReach: '507, reads go on, recovers alone', isReached: false })]
  }
  const total = rounds(10)
  const refusals: Record<string, number> = {}
  await using library = await openLibrary({ under, preload, settings: { TRUST_PROXY: 'loopback' } })
  const { send, server } = library
  // The disk as the server sees it.
  const directory = join(`/proc/${server.pid}/root`, library.directory)
  const [first] = await upload(send, [{ name: 'first.jpg', bytes: await makeJpeg({ width: 400, height: 300 }) }])
  const shared = await send('POST', `/api/media/${first!.id}/public`)
  const { publicUrl } = (await shared.json()) as { publicUrl: string }
  for (let round = 0; round < total; round++) {
    const leftBytes = [0, 40_000, 400_000, 1_500_000][round % 4]!
    const ballast = await fillDisk(directory, leftBytes)
    await meetFullDisk(library, refusals)
    // For a new visitor the view cannot be recorded, but the page is still served.
    const visit = await fetch(publicUrl, { headers: { 'x-forwarded-for': `10.0.0.${round}` } })
    assert.equal(visit.status, 200, await visit.text())
    await rm(ballast)
    await upload(send, [{ name: `after-${round}.jpg`, bytes: await makeJpeg() }])
  }
  const listed = await listAll(send)
  const hashes = new Set<string>()
  for (const media of listed) hashes.add(await deliveredHash(send, media))
  await checkCounters(send, listed)
  // Files without an item are kept for an hour, since another upload may use them; then the janitor deletes them.
  await delay(strayRecordedMs)
  await tell(server, { shiftMs: hourMs })
  await untilTidy(directory, hashes)
  const told = Object.entries(refusals).map(([status, count]) => `${status}: ${count}`)
  return [
    counted('disk full (tmpfs of 64 MiB): reported, reads continue, recovers without help', {
      figure: `${total} times full, answers ${told.join(', ')}; 0 damaged, 0 leftover files after the janitor ran`,
      toReach: '507-class responses, 0 damaged, 0 leftover files',
      // Each time at least one file did not fit; otherwise the disk was not full.
      isReached: Object.keys(refusals).every(isExpected) && (refusals['507'] ?? 0) >= total,
    }),
  ]
}

const isExpected = (status: string) => status === '507' || status === '201'

/** Checks that writes are refused with an error message and that reads work. */
async function meetFullDisk({ send }: Library, refusals: Record<string, number>) {
  const [first] = await listAll(send)
  const pad = async (bytes: number) => Buffer.concat([await makeJpeg(), randomBytes(bytes)])
  const [large, small] = [await pad(3_000_000), await pad(30_000)]
  const uploadOne = (bytes: Uint8Array) =>
    send('POST', '/api/upload', multipart([{ name: 'one.jpg', bytes }], { enableAi: 'false' }))
  const writes = [
    () => uploadOne(large),
    () => uploadOne(small),
    () => send('PATCH', `/api/media/${first!.id}`, { userDescription: 'x'.repeat(9000) }),
    () => send('POST', '/api/collections', { name: 'One more', description: 'y'.repeat(900) }),
    () => send('POST', '/api/admin/backups/create'),
  ]
  for (const write of writes) {
    const answer = await write()
    const body = (await answer.json()) as { message?: string }
    if (answer.status >= 500) assert.ok(body.message, 'the refusal says why')
    // A small change may still fit.
    const isDone = answer.status < 300
    const key = isDone ? '201' : String(answer.status)
    refusals[key] = (refusals[key] ?? 0) + 1
  }
  for (const media of await listAll(send)) await deliveredHash(send, media)
  assert.equal((await send('GET', '/api/user')).status, 200)
}

/** Fills the disk except for this much, with one file that can be deleted. */
async function fillDisk(directory: string, leftBytes: number) {
  const path = join(directory, 'ballast')
  const { bavail, bsize } = await statfs(directory)
  const size = Math.max(0, bavail * bsize - leftBytes)
  await writeFile(path, Buffer.alloc(size)).catch((error) => {
    if (error.code !== 'ENOSPC') throw error
  })
  return path
}

async function canMount() {
  const [command, ...args] = [...under.slice(0, -4), 'sh', '-c', 'mount -t tmpfs tmpfs /mnt']
  return promisify(execFile)(command!, args).then(
    () => true,
    () => false,
  )
}
