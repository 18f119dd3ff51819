import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { startFakeImageKit } from '../support/fake-imagekit.ts'
import { makeJpeg } from '../support/pictures.ts'
import { until } from '../support/until.ts'
import { counted, type Fault } from './fault.ts'
import { addUp, inLanes } from './lanes.ts'
import { ask, deliveredHash, listAll, openLibrary, sha256, upload } from './library.ts'

const pictures = 6

type State = { copies: number; total: number; isRunning: boolean; failed: number }

/** Kills the server while it copies files to ImageKit; a repeated request continues the copy. */
export const killImageKit: Fault = async ({ eachRound }) => {
  const { rounds, objects, files } = addUp(await inLanes(eachRound(30), killDuringCopies))
  return [
    counted('kill -9 during a copy to ImageKit: a retry completes it', {
      figure: `${rounds} rounds: ${objects} objects for ${files} files, 0 duplicates, 0 broken URLs`,
      toReach: '0 in 30 rounds',
      isReached: rounds > 0,
    }),
  ]
}

async function killDuringCopies(rounds: Iterable<number>) {
  let total = 0
  const cleanups: (() => unknown)[] = []
  try {
    const imageKit = await startFakeImageKit({ after: (cleanup) => void cleanups.push(cleanup as () => unknown) })
    await using library = await openLibrary({ settings: imageKit.settings })
    const { send } = library
    const sent = new Set<string>()
    for (const round of rounds) {
      const files = await Promise.all(
        Array.from({ length: pictures }, async (_, index) => ({
          name: `${round}-${index}.jpg`,
          bytes: await makeJpeg(),
        })),
      )
      for (const { bytes } of files) sent.add(sha256(bytes))
      await upload(send, files)
      // The server is killed, so no response arrives.
      const cut = send('POST', '/api/admin/migrate-to-imagekit').catch(() => {})
      await delay(Math.random() * 400)
      await library.server.kill()
      await cut
      await library.start()
      const again = await send('POST', '/api/admin/migrate-to-imagekit')
      assert.equal(again.status, 200, await again.text())
      await untilEnded()
      total++
    }
    const state = await ask<State>(send, '/api/admin/migrate-to-imagekit')
    assert.deepEqual([state.copies, state.total, state.failed], [sent.size, sent.size, 0], 'every file has its copy')
    const remote = [...imageKit.files.values()].map(({ bytes }) => createHash('sha256').update(bytes).digest('hex'))
    assert.equal(remote.length, sent.size, 'no object is there twice')
    assert.deepEqual(new Set(remote), sent)
    for (const media of await listAll(send)) assert.ok(sent.has(await deliveredHash(send, media)), 'no address is dead')
    return { rounds: total, objects: remote.length, files: sent.size }

    async function untilEnded() {
      const isOver = async () => !(await ask<State>(send, '/api/admin/migrate-to-imagekit')).isRunning
      await until('the migration is over', isOver)
    }
  } finally {
    for (const cleanup of cleanups) await cleanup()
  }
}
