import { useMutation } from '@tanstack/react-query'
import type { Selection } from '#features/media/client/selection.ts'
import { filterQuery, type LibraryView } from '#features/media/library-view.ts'
import { call, connectionProblem, messageOf } from '#platform/client/call.ts'
import { countOf } from '#shared/count.ts'
import { toast, toastError } from '#ui/notices/toast.ts'
import type { bulkApi } from '../contract.ts'
import { selectRecentUploads } from './recent-uploads.ts'

/** Selects the latest upload session of the list, starts select mode if needed, and shows the session's duration. */
export function useSelectRecentUploads(selection: Selection, view: LibraryView) {
  const { mutate } = useMutation({
    mutationFn: async () =>
      selectRecentUploads(
        (await call<typeof bulkApi.recentUploads>('GET /api/media/recent-uploads', { query: filterQuery(view) })).media,
      ),
    onError: (error) =>
      toastError('Selection failed', messageOf(error, "Couldn't select recent uploads."), connectionProblem(error)),
  })
  // `mutate` callbacks run only while this is mounted, so a late response does not change the selection on another page.
  return () =>
    mutate(undefined, {
      onSuccess({ ids, spanMinutes }) {
        if (ids.length === 0) return toast({ title: 'No recent uploads', description: 'Upload something first.' })
        selection.start(ids)
        toast({
          title: 'Recent uploads selected',
          description: `${countOf(ids.length, 'item')} uploaded within ${spanMinutes > 0 ? countOf(spanMinutes, 'minute') : 'a minute'}.`,
        })
      },
    })
}
