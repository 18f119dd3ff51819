const dayMs = 24 * 3600_000

/** "Today", "1 day ago", "3 days ago" under a week, "2 weeks ago" under 30 days, then the local date. */
export function relativeDate(iso: string, now = Date.now()) {
  const time = new Date(iso).getTime()
  const days = Math.floor((now - time) / dayMs)
  if (days <= 0) return 'Today'
  if (days === 1) return '1 day ago'
  if (days < 7) return `${days} days ago`
  if (days < 30) {
    const weeks = Math.floor(days / 7)
    return `${weeks} ${weeks === 1 ? 'week' : 'weeks'} ago`
  }
  return new Date(time).toLocaleDateString()
}
