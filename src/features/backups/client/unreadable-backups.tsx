import { countOf } from '#shared/count.ts'
import { Alert } from '#ui/alert.tsx'

/** A whole folder may have the same fault. */
const mostShown = 3

/** Backups that lie in the folder and are not in the list, each with what is wrong with it. */
export function UnreadableBackups({ backups }: { backups: { id: string; message: string }[] }) {
  if (backups.length === 0) return null
  const more = backups.length - mostShown
  return (
    <Alert title={`${countOf(backups.length, 'backup is', 'backups are')} not listed`} className="mx-4 mb-4">
      {backups.slice(0, mostShown).map(({ id, message }) => (
        <p key={id}>
          {id}: {message}
        </p>
      ))}
      {more > 0 && <p>And {more} more.</p>}
    </Alert>
  )
}
