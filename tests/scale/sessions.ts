import { processCount } from './cluster.ts'
import { counted, type Row } from './row.ts'

const people = 4

export const sessions: Row = async (cluster) => {
  let [known, forgotten] = [0, 0]
  for (let index = 0; index < people; index++) {
    const { username, at, through } = await cluster.register()
    for (let process = 0; process < processCount; process++) {
      const answer = await at(process)('GET', '/api/user')
      const user = (await answer.json()) as { username?: string }
      if (answer.status === 200 && user.username === username) known++
    }
    await through('POST', '/api/logout')
    for (let process = 0; process < processCount; process++) {
      if ((await at(process)('GET', '/api/user')).status === 401) forgotten++
    }
  }
  const total = people * processCount
  return [
    counted('sessions work and end on every process', {
      figure: `${known} of ${total} known, ${forgotten} of ${total} ended`,
      toReach: 'all',
      isReached: known === total && forgotten === total,
    }),
  ]
}
