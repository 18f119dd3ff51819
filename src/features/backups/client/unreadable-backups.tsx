import { countOf } from '#shared/count.ts'
import { Alert } from '#ui/alert.tsx'

/** A list is limited, since all backups may have the same error. */
const mostShown = 3

/** Backups whose folder exists but cannot be read, each with the reason. */
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
