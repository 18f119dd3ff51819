import type { Cluster } from './cluster.ts'
import { processCount } from './cluster.ts'
import { counted, type Row } from './row.ts'

const allowed = 10
const guesses = 30

/** Wrong passwords for one name, sent to all processes in turn and at once: all count together. */
export const limits: Row = async (cluster) => {
  const inTurn = await cluster.register()
  const atOnce = await cluster.register()
  const slow: number[] = []
  for (let turn = 0; turn < guesses; turn++) slow.push(await guess(cluster, turn, inTurn.username))
  const quick = await Promise.all(Array.from({ length: guesses }, (_, turn) => guess(cluster, turn, atOnce.username)))
  // The right password is refused too, everywhere, while the name is closed.
  const closed: number[] = []
  for (let turn = 0; turn < processCount; turn++)
    closed.push(await guess(cluster, turn, inTurn.username, 'correct horse'))
  const tried = (statuses: number[]) => statuses.filter((status) => status === 401).length
  const refused = (statuses: number[]) => statuses.filter((status) => status === 429).length
  const isRight = (statuses: number[]) => tried(statuses) === allowed && refused(statuses) === guesses - allowed
  return [
    counted('wrong passwords are counted together by all processes', {
      figure: `of ${guesses} guesses ${tried(slow)} tried in turn, ${tried(quick)} at once; then refused on ${refused(closed)} of ${processCount}`,
      toReach: `${allowed} of ${guesses}, closed on all`,
      isReached: isRight(slow) && isRight(quick) && refused(closed) === processCount,
    }),
  ]
}

async function guess({ processes }: Cluster, turn: number, username: string, password = 'wrong horse') {
  const answer = await fetch(`${processes[turn % processCount]!.url}/api/login`, {
    method: 'POST',
    // As the proxy would name it: the limit is of a name and an address.
    headers: { 'content-type': 'application/json', 'x-forwarded-for': '198.51.100.1' },
    body: JSON.stringify({ username, password }),
  })
  await answer.arrayBuffer()
  return answer.status
}
