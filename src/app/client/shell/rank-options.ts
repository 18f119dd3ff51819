import { fuzzyScore } from '#shared/fuzzy.ts'
import type { RecentChoice } from './recent-choices.ts'

type Ranked = { id: string; label: string; group: string }
type Group<Option> = { label: string; options: Option[] }

const shownPerGroup = { found: 7, all: 12 }
/** What was chosen lately comes before an equally good fit. */
const recentBonus = 0.5

/**
 * The options that fit what was typed, the best first in each group, and the group with the best one first. `found` were
 * found by the server, so they are shown even if their label does not fit. Without a query the recent choices come first, and then everything in its own order.
 */
export function rankOptions<Option extends Ranked>(
  { query, options, found }: { query: string; options: readonly Option[]; found: readonly Option[] },
  recent: readonly RecentChoice[],
): Group<Option>[] {
  const recentIds = recent.map(({ id }) => id)
  if (query.trim() === '') {
    const latest = recentIds.flatMap((id) => options.find((option) => option.id === id) ?? [])
    const others = groupsOf(
      options.filter((option) => !latest.includes(option)),
      shownPerGroup.all,
    )
    return [...(latest.length > 0 ? [{ label: 'Recent', options: latest }] : []), ...others]
  }
  const scored = options.flatMap((option) => {
    const score = fuzzyScore(query, option.label)
    return score === undefined ? [] : [{ option, score: score + (recentIds.includes(option.id) ? recentBonus : 0) }]
  })
  const best = scored.toSorted((a, b) => b.score - a.score).map(({ option }) => option)
  const fit = ({ label }: Option) => fuzzyScore(query, label) ?? 0
  const bestFound = found.toSorted((a, b) => fit(b) - fit(a))
  const foundIds = new Set(found.map(({ id }) => id))
  return groupsOf([...best.filter(({ id }) => !foundIds.has(id)), ...bestFound], shownPerGroup.found)
}

function groupsOf<Option extends Ranked>(options: readonly Option[], limit: number): Group<Option>[] {
  const groups = Map.groupBy(options, ({ group }) => group)
  return [...groups].map(([label, ofGroup]) => ({ label, options: ofGroup.slice(0, limit) }))
}
