import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { makeJpeg } from '../support/pictures.ts'
import { type Library, type Listed, upload } from './library.ts'

const pictures = 40
/** A pause between two actions of one person: in a hurry, and later. */
const hurryMs = 3
const calmMs = 100

/** People who look, search, upload, change, convert, share, listen and delete, again and again, over the same pictures. */
export async function startDailyLife({ send, server }: Library) {
  // The same bytes each round: caches fill once, and what grows after that is a leak.
  const files = await Promise.all(
    Array.from({ length: pictures }, async (_, index) => ({ name: `${index}.jpg`, bytes: await makeJpeg() })),
  )
  const seen = { done: 0, refused: [] as string[] }
  let isOver = false
  let isResting = false
  let acting = 0
  let pauseMs = hurryMs
  const kept = await upload(send, files.slice(0, 20))
  const page = await share(kept)
  const people = Promise.all([
    again((count) => look(`/api/media?limit=20&page=${1 + (count % 3)}&sort=${count % 2 ? 'name' : 'recent'}`)),
    again((count) => look(`/api/media?limit=20&search=${count % 40}`)),
    again((count) => look(kept[count % kept.length]![count % 2 ? 'originalUrl' : 'thumbnailUrl'])),
    again(() => look(page)),
    again((count) => look(['/api/user', '/api/collections', '/api/admin/stats', '/api/health'][count % 4]!)),
    again(liveOfAPicture),
    again(listen),
  ])
  people.catch(() => {
    // `stop` throws this error; the handler only prevents an unhandled rejection until then.
  })
  return {
    /** They begin in a hurry: what compiles, fills or grows once has done so when they calm down. */
    calmDown() {
      pauseMs = calmMs
    },
    /** Runs `look` while the load is paused, to measure what the server holds when idle. */
    async whileResting<T>(look: () => Promise<T>) {
      isResting = true
      while (acting > 0) await Promise.race([delay(10), people])
      const result = await look()
      isResting = false
      return result
    },
    async stop() {
      isOver = true
      await people
      return seen
    },
  }

  async function again(act: (count: number) => Promise<void>) {
    for (let count = 0; !isOver; count++) {
      while (isResting) await delay(calmMs)
      acting++
      await act(count)
      acting--
      await delay(pauseMs)
    }
  }

  async function ask(method: string, path: string, body?: object) {
    const answer = await send(method, path, body)
    const text = await answer.text()
    seen.done++
    if (!answer.ok) seen.refused.push(`${method} ${path} ${answer.status} ${text}`)
    return text
  }

  async function look(path: string) {
    await ask('GET', path)
  }

  async function liveOfAPicture(count: number) {
    const [media] = await upload(send, [files[20 + (count % 20)]!])
    seen.done++
    const path = `/api/media/${media!.id}`
    await ask('PATCH', path, { filename: `renamed ${count % 10}.jpg`, aiTags: ['one', 'two'], isFavorite: true })
    if (count % 5 === 0) await ask('POST', `${path}/convert-webp`, { quality: 60, deleteOriginal: true })
    await ask('POST', '/api/media/bulk-trash', { mediaIds: [media!.id] })
    await ask('POST', '/api/media/bulk-restore', { mediaIds: [media!.id] })
    await ask('DELETE', path)
  }

  /** Opens a line to the events, hears a little, and goes away. */
  async function listen() {
    const answer = await send('GET', '/api/events')
    const reader = answer.body!.getReader()
    await reader.read()
    await delay(300)
    await reader.cancel()
    seen.done++
  }

  async function share(media: Listed[]) {
    const { id } = JSON.parse(await ask('POST', '/api/collections', { name: 'Shown' })) as { id: number }
    for (const item of media) await ask('POST', `/api/collections/${id}/media/${item.id}`)
    const { publicUrl } = JSON.parse(await ask('PATCH', `/api/collections/${id}/visibility`, { isPublic: true })) as {
      publicUrl: string
    }
    assert.ok(publicUrl.includes(new URL(server.url).port), 'the page is on this server')
    return new URL(publicUrl).pathname
  }
}
