import { Alert } from './alert.tsx'
import { Button } from './button.tsx'

type LoadFailureProps = {
  /** What could not be loaded, e.g. "users". */
  what: string
  /** The reason and what to do, as a sentence. */
  why: string
  onRetry: () => void
}

/** Shown in place of content that could not be loaded. */
export function LoadFailure({ what, why, onRetry }: LoadFailureProps) {
  return (
    <Alert
      title={`Couldn't load ${what}`}
      action={
        <Button size="sm" onClick={onRetry}>
          Try again
        </Button>
      }
    >
      {why}
    </Alert>
  )
}
