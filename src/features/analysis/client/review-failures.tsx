import { countOf } from '#shared/count.ts'
import { Alert } from '#ui/alert.tsx'

const mostReasons = 5

/** What could not be looked at, by reason, the most frequent first. */
export function ReviewFailures({ errors }: { errors: { id: number; message: string }[] }) {
  const byReason = [...Map.groupBy(errors, ({ message }) => message)].sort(([, a], [, b]) => b.length - a.length)
  return (
    <Alert title={`${countOf(errors.length, 'item')} could not be analyzed`}>
      <ul>
        {byReason.slice(0, mostReasons).map(([message, items]) => (
          <li key={message}>{byReason.length === 1 ? message : `${message} (${countOf(items.length, 'item')})`}</li>
        ))}
      </ul>
    </Alert>
  )
}
