import { countOf } from '#shared/count.ts'
import { relativeDate } from '#shared/relative-date.ts'
import { type Media, trashDays } from '../contract.ts'

const dayMs = 24 * 3600_000

/** When it came; in the trash, how long it stays. */
export function itemDate({ createdAt, trashedAt }: Pick<Media, 'createdAt' | 'trashedAt'>, now = Date.now()) {
  if (!trashedAt) return relativeDate(createdAt, now)
  return `${countOf(Math.max(1, trashDays - Math.floor((now - Date.parse(trashedAt)) / dayMs)), 'day')} left`
}
