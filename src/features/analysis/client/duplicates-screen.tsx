import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { Media } from '#features/media/contract.ts'
import { failureReason } from '#platform/client/call.ts'
import { countOf } from '#shared/count.ts'
import { Button } from '#ui/button.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { useListFocus } from '#ui/focus/use-list-focus.ts'
import { LoadFailure } from '#ui/load-failure.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { DuplicateGroup, type MergeButtonType } from './duplicate-group.tsx'
import { analysisQueries } from './queries.ts'

type DuplicatesScreenProps = {
  onOpen: (id: number, group: readonly Media[]) => void
  MergeButton: MergeButtonType
}

/** Most groups are pairs, so a wide window has room for several next to each other. */
const columns = 'grid grid-cols-1 items-start gap-5 xl:grid-cols-2 min-[120rem]:grid-cols-3 min-[150rem]:grid-cols-4'

/** Lists groups of duplicates and suggests which item of each to keep. */
export function DuplicatesScreen({ onOpen, MergeButton }: DuplicatesScreenProps) {
  const [, navigate] = useLocation()
  const query = useInfiniteQuery(analysisQueries.duplicates())
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = query
  const hasNextPageFailed = query.isFetchNextPageError && !isFetchingNextPage
  const groups = data?.pages.flatMap((page) => page.groups) ?? []
  const keys = groups.map((group) => group.map(({ id }) => id).join())
  const list = useListFocus<HTMLDivElement>(keys.join(' '))
  /**
   * The items the user chose to keep, the latest last. They are stored here because a group that gains or loses an item
   * remounts.
   */
  const [keptIds, setKeptIds] = useState<readonly number[]>([])
  return (
    <div className="space-y-5">
      <header>
        <h1 className="font-semibold text-xl">Possible duplicates</h1>
        <p aria-live="polite" aria-atomic="true" className="figures min-h-5 text-muted text-sm">
          {data && groups.length > 0 && `${countOf(data.pages[0]!.total, 'group')} of possible duplicates`}
        </p>
      </header>
      {error && !data && <LoadFailure what="duplicates" why={failureReason(error)} onRetry={() => void refetch()} />}
      {isPending && <GroupSkeletons />}
      {data && groups.length === 0 && !hasNextPage && (
        <EmptyState
          drawing="picture"
          title="No duplicates found"
          description="Images that look the same appear here, even if they were resized or re-saved."
          action={<Button onClick={() => navigate('/')}>Back to the library</Button>}
        />
      )}
      <div {...list} className={columns}>
        {groups.map((group, index) => (
          <section key={keys[index]} tabIndex={-1} aria-label={`Group ${index + 1}`} className="rounded-md">
            <DuplicateGroup
              group={group}
              MergeButton={MergeButton}
              keptId={keptIds.findLast((keptId) => group.some(({ id }) => id === keptId))}
              onKeep={(id) => setKeptIds([...keptIds, id])}
              onOpen={(id) => onOpen(id, group)}
            />
          </section>
        ))}
      </div>
      {hasNextPageFailed && (
        <LoadFailure what="more duplicates" why={failureReason(error)} onRetry={() => void fetchNextPage()} />
      )}
      {hasNextPage && !hasNextPageFailed && (
        <div className="flex justify-center">
          <Button isPending={isFetchingNextPage} onClick={() => fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </div>
  )
}

function GroupSkeletons() {
  return (
    <div role="status" className={columns}>
      <span className="sr-only">Looking for duplicates</span>
      <Skeleton className="h-72 rounded-md" />
      <Skeleton className="h-72 rounded-md" />
    </div>
  )
}
