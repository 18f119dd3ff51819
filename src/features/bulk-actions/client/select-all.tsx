import { useMutation } from '@tanstack/react-query'
import type { LibraryView } from '#features/media/client/library-view.ts'
import type { Selection } from '#features/media/client/selection.ts'
import type { Media } from '#features/media/contract.ts'
import { maxItemsAtOnce } from '#features/media/limits.ts'
import { call, messageOf } from '#platform/client/call.ts'
import { Button } from '#ui/button.tsx'
import { toastError } from '#ui/notices/toast.ts'
import type { bulkApi } from '../contract.ts'
import { filterOf } from './filter-of.ts'

type SelectAllProps = { selection: Selection; view: LibraryView; page: readonly Media[]; totalCount: number }

/** First the page; when the page is selected, "all N that match" beyond it, or as many as can be changed at once. */
export function SelectAll({ selection, view, page, totalCount }: SelectAllProps) {
  const selectMatching = useMutation({
    mutationFn: () => call<typeof bulkApi.selectMatching>('POST /api/media/matching-ids', { body: filterOf(view) }),
    onError: (error) => toastError('Selection failed', messageOf(error, 'Could not select all items.')),
  })
  // Only for as long as this stands here: an answer that comes late does not select in another place.
  const selectAll = () => selectMatching.mutate(undefined, { onSuccess: ({ ids }) => selection.replace(ids) })
  const isPageSelected = page.every(({ id }) => selection.ids.has(id))
  if (isPageSelected && selection.ids.size < Math.min(totalCount, maxItemsAtOnce)) {
    return (
      <Button variant="quiet" isPending={selectMatching.isPending} onClick={selectAll}>
        {totalCount > maxItemsAtOnce
          ? `Select the newest ${maxItemsAtOnce.toLocaleString('en')}`
          : `Select all ${totalCount.toLocaleString('en')} that match`}
      </Button>
    )
  }
  return (
    <Button variant="quiet" disabled={isPageSelected} onClick={() => selection.add(page.map(({ id }) => id))}>
      Select All
    </Button>
  )
}
