export const backupTime = (iso: string) =>
  new Date(iso).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })

const minuteMs = 60_000

/** "just now", "12 min ago", "3 h ago", "5 d ago". */
export function ago(iso: string) {
  const minutes = Math.floor((Date.now() - Date.parse(iso)) / minuteMs)
  if (minutes < 1) return 'just now'
  if (minutes < 60) return `${minutes} min ago`
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ago`
  return `${Math.floor(minutes / (24 * 60))} d ago`
}
