const dayMs = 24 * 3600_000

/**
 * "Today", "1 day ago", "3 days ago" under a week, "2 weeks ago" under 30 days, then the local date. It counts calendar
 * days in the reader's time zone, so an upload from yesterday evening is "1 day ago" the next morning.
 */
export function relativeDate(iso: string, now = Date.now()) {
  const time = new Date(iso).getTime()
  // Rounded: a day has 23 or 25 hours when the clocks change.
  const days = Math.round((midnightBefore(now) - midnightBefore(time)) / dayMs)
  if (days <= 0) return 'Today'
  if (days === 1) return '1 day ago'
  if (days < 7) return `${days} days ago`
  if (days < 30) {
    const weeks = Math.floor(days / 7)
    return `${weeks} ${weeks === 1 ? 'week' : 'weeks'} ago`
  }
  return new Date(time).toLocaleDateString()
}

const midnightBefore = (time: number) => new Date(time).setHours(0, 0, 0, 0)

/** "Oct 20" for "2026-10-20", a UTC day of the server. */
export const formatShortDay = (day: string) =>
  new Date(day).toLocaleDateString(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' })
