/** "Oct 20" for "2026-10-20", a day of the server, which counts them in UTC. */
export const shortDay = (day: string) =>
  new Date(day).toLocaleDateString(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' })
