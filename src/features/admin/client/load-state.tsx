import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { failureReason } from '#platform/client/call.ts'
import { classNames } from '#ui/class-names.ts'
import { LoadFailure } from '#ui/load-failure.tsx'
import { Skeleton } from '#ui/skeleton.tsx'

type LoadStateProps<T> = {
  query: Pick<UseQueryResult<T>, 'data' | 'error' | 'refetch'>
  /** What is being loaded, as the subject of a sentence: "The users". */
  what: string
  /** The table of a card runs to its edges; its skeleton and its error have padding. */
  isFlush?: boolean
  children: (data: T) => ReactNode
}

/** A skeleton while loading, the error, or the content. */
export function LoadState<T>({ query: { data, error, refetch }, what, isFlush, children }: LoadStateProps<T>) {
  if (data !== undefined) return children(data)
  const inset = isFlush ? 'px-4 pb-4' : undefined
  if (!error) {
    return (
      <div role="status" className={classNames('flex flex-col gap-2', inset)}>
        <span className="sr-only">Loading</span>
        <Skeleton className="h-9" />
        <Skeleton className="h-9" />
        <Skeleton className="h-9" />
      </div>
    )
  }
  return (
    <div className={inset}>
      <LoadFailure what={what} why={failureReason(error)} onRetry={() => void refetch()} />
    </div>
  )
}
