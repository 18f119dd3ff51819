import type { Selection } from '#features/media/client/selection.ts'
import { call, messageOf } from '#platform/client/call.ts'
import { countOf } from '#shared/count.ts'
import { toast, toastError } from '#ui/toast.ts'
import { bulkApi } from '../contract.ts'
import { selectRecentUploads } from '../recent-uploads.ts'

/** Selects the latest upload session, turning select mode on if it is off, and tells its span. */
export function useSelectRecentUploads(selection: Selection) {
  return async () => {
    try {
      const { media } = await call(bulkApi.recentUploads)
      const { ids, spanMinutes } = selectRecentUploads(media)
      if (ids.length === 0) return void toast({ title: 'No recent uploads', description: 'Upload something first.' })
      selection.start(ids)
      toast({
        title: 'Recent uploads selected',
        description: `${countOf(ids.length, 'item')} uploaded within ${countOf(spanMinutes, 'minute')}.`,
      })
    } catch (error) {
      toastError('Selection failed', messageOf(error, 'Could not select recent uploads.'))
    }
  }
}
