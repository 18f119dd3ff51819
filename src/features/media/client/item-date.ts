import { countOf } from '#shared/count.ts'
import { relativeDate } from '#shared/dates.ts'
import type { Media } from '../contract.ts'
import { trashDays } from '../limits.ts'

const dayMs = 24 * 3600_000

/** When the item was added, or in the trash how long it is kept. */
export function itemDate({ createdAt, trashedAt }: Pick<Media, 'createdAt' | 'trashedAt'>, now = Date.now()) {
  if (!trashedAt) return relativeDate(createdAt, now)
  // The server's clock may be slightly ahead of the client's.
  const daysIn = Math.max(0, Math.floor((now - Date.parse(trashedAt)) / dayMs))
  return `${countOf(Math.max(1, trashDays - daysIn), 'day')} left`
}
