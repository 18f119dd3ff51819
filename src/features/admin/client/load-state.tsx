import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { whyMissing } from '#platform/client/call.ts'
import { LoadFailure } from '#ui/load-failure.tsx'
import { Skeleton } from '#ui/skeleton.tsx'

type LoadStateProps<T> = {
  query: Pick<UseQueryResult<T>, 'data' | 'error' | 'refetch'>
  /** What is being loaded, as the subject of a sentence: "The users". */
  what: string
  children: (data: T) => ReactNode
}

/** The shape of what comes, what went wrong, or the thing itself. */
export function LoadState<T>({ query: { data, error, refetch }, what, children }: LoadStateProps<T>) {
  if (data !== undefined) return children(data)
  if (!error) {
    return (
      <div role="status" className="flex flex-col gap-2">
        <span className="sr-only">Loading</span>
        <Skeleton className="h-9" />
        <Skeleton className="h-9" />
        <Skeleton className="h-9" />
      </div>
    )
  }
  return <LoadFailure what={what} why={whyMissing(error)} onRetry={() => void refetch()} />
}
