import { z } from 'zod'
import { formatRows } from './evaluate.ts'
import { isFrozen } from './labels.ts'

/** What a person would type, and all the pictures that are a right answer; for some queries there is none. */
export const Queries = z.record(z.string(), z.array(z.string()))

export type Answer = {
  query: string
  right: string[]
  /** The first results, the best one first. */
  found: string[]
}

const isHit = ({ right, found }: Answer) => found.some((file) => right.includes(file))

/** The share of queries with a right picture among the first results, and how many without an answer return nothing. */
export function formatAnswers(answers: Answer[]): string {
  const { tuning = [], frozen = [] } = Object.groupBy(answers, ({ query }) => (isFrozen(query) ? 'frozen' : 'tuning'))
  const rows = Object.entries({ tuning, frozen }).map(([name, part]) => {
    const [answerable, others] = [
      part.filter(({ right }) => right.length > 0),
      part.filter(({ right }) => !right.length),
    ]
    const silent = others.filter(({ found }) => found.length === 0)
    const share = answerable.length === 0 ? 0 : answerable.filter(isHit).length / answerable.length
    return [name, String(answerable.length), share.toFixed(2), `${silent.length} of ${others.length}`]
  })
  return formatRows([['part', 'searches', 'right in first five', 'nothing found where nothing is right'], ...rows])
}

/** The queries that may be tuned on and failed, with what was found instead. */
export function formatFailedAnswers(answers: Answer[]): string {
  const failed = answers.filter(
    (answer) => !isFrozen(answer.query) && (answer.right.length > 0 ? !isHit(answer) : answer.found.length > 0),
  )
  return formatRows([
    ['search', 'found', 'expected'],
    ...failed.map(({ query, found, right }) => [query, found.join(', ') || '-', right.slice(0, 5).join(', ') || '-']),
  ])
}
