import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { multipart } from '../support/multipart.ts'
import { until } from '../support/until.ts'
import { type Person, processCount } from './cluster.ts'
import { deliveredHash, listAll, makePictures, sha256 } from './pictures.ts'
import { counted, type Row } from './row.ts'

const uploaders = 6
const kills = processCount

/** Clients upload through the proxy without a pause, while one process after the other is killed and restarted. */
export const killWeb: Row = async (cluster) => {
  const person = await cluster.register()
  const sent = new Map<string, string>()
  const acknowledged = new Set<string>()
  const failed = { count: 0 }
  const isOver = new AbortController()
  const uploading = Array.from({ length: uploaders }, uploadUntilOver)
  for (let kill = 0; kill < kills; kill++) {
    const wanted = acknowledged.size + 5 + randomInt(10)
    await until('uploads go on', () => acknowledged.size >= wanted, { everyMs: 5 })
    await delay(randomInt(60))
    await cluster.killAndRestart(kill % processCount)
  }
  isOver.abort()
  await Promise.all(uploading)
  const { lost, damaged, doubled } = await compare(person, sent, acknowledged)
  return [
    counted('kill -9 of a process behind the proxy, under uploads', {
      figure: `${lost} of ${acknowledged.size} acknowledged files lost, ${damaged} damaged, ${doubled} twice; ${failed.count} requests broke off in ${kills} kills`,
      toReach: '0 lost, 0 damaged',
      isReached: lost === 0 && damaged === 0 && doubled === 0 && acknowledged.size > 0,
    }),
  ]

  async function uploadUntilOver() {
    while (!isOver.signal.aborted) {
      const files = await makePictures(1 + randomInt(3), 'killed')
      for (const { name, bytes } of files) sent.set(name, sha256(bytes))
      try {
        const answer = await person.through('POST', '/api/upload', multipart(files, { enableAi: 'false' }))
        const body = (await answer.json()) as { media: { filename: string }[] }
        if (answer.status !== 201) throw new Error(`Expected 201, received ${answer.status}`)
        for (const { filename } of body.media) acknowledged.add(filename)
      } catch {
        // Not acknowledged, so the client tries again.
        failed.count++
      }
    }
  }
}

async function compare({ through }: Person, sent: Map<string, string>, acknowledged: Set<string>) {
  const listed = await listAll(through)
  const names = new Set(listed.map(({ filename }) => filename))
  let damaged = 0
  for (const item of listed) if ((await deliveredHash(through, item)) !== sent.get(item.filename)) damaged++
  return { lost: acknowledged.difference(names).size, damaged, doubled: listed.length - names.size }
}
