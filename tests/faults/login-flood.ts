import assert from 'node:assert/strict'
import { counted, type Fault } from './fault.ts'
import { openLibrary } from './library.ts'
import { whileBrowsing } from './while-browsing.ts'

const logins = 200
const othersMs = 1000

/** 200 users, or one program, try passwords at once. */
export const loginFlood: Fault = async () => {
  await using library = await openLibrary()
  const { server } = library
  const statuses = new Map<number, number>()
  const { refused, p95Ms, looks } = await whileBrowsing(library, () =>
    Promise.all(Array.from({ length: logins }, tryLogin)),
  )
  const told = [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')
  return [
    counted('200 simultaneous sign-ins', {
      figure: `${told}; other users: ${looks()} requests, ${refused()} refused, 95% within ${Math.round(p95Ms())} ms`,
      toReach: '0 × 5xx, other users 95% below 1 s',
      isReached:
        refused() === 0 &&
        p95Ms() < othersMs &&
        [...statuses.keys()].every((status) => status === 401 || status === 429),
    }),
  ]

  async function tryLogin(_: unknown, index: number) {
    const answer = await fetch(`${server.url}/api/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: `person-${index}`, password: 'a guess' }),
    })
    assert.ok(((await answer.json()) as { message: string }).message)
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
  }
}
