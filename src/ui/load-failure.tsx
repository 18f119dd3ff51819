import { Alert } from './alert.tsx'
import { Button } from './button.tsx'

type LoadFailureProps = {
  /** What is missing, as the object of a sentence: "users". */
  what: string
  /** Why, and what to do, as a sentence. */
  why: string
  onRetry: () => void
}

/** In place of what did not come. */
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
