import { setTimeout as delay } from 'node:timers/promises'
import { percentile } from './fault.ts'
import type { Library } from './library.ts'

/** Browses the library as another user while `work` runs, and measures the response times and refused requests. */
export async function whileBrowsing<T>({ send }: Library, work: () => Promise<T>) {
  const times: number[] = []
  let refused = 0
  let isOver = false
  const looking = (async () => {
    while (!isOver) {
      const begin = performance.now()
      const answer = await send('GET', '/api/media?limit=20')
      await answer.arrayBuffer()
      times.push(performance.now() - begin)
      if (answer.status !== 200) refused++
      await delay(25)
    }
  })()
  looking.catch(() => {
    // Thrown at the end; the handler only prevents an unhandled rejection until then.
  })
  try {
    const result = await work()
    return { result, refused: () => refused, looks: () => times.length, p95Ms: () => percentile(times) }
  } finally {
    isOver = true
    await looking
  }
}
