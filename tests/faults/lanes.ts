const lanes = 2

/** Kill tests are independent, so two servers with their own data share the rounds. */
export async function inLanes<T>(rounds: Iterable<number>, work: (rounds: Iterable<number>) => Promise<T>) {
  const shared = Iterator.from(rounds)
  const outcomes = await Promise.allSettled(Array.from({ length: lanes }, () => work(shared)))
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  })
}

/** Adds up the counts of both lanes. */
export function addUp<T extends Record<string, number>>(outcomes: T[]): T {
  const [first, ...others] = outcomes
  const sum: Record<string, number> = { ...first! }
  for (const outcome of others) for (const [name, count] of Object.entries(outcome)) sum[name]! += count
  return sum as T
}
