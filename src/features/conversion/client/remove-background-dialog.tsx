import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { refreshMedia } from '#features/media/client/mutations.ts'
import type { Media } from '#features/media/contract.ts'
import { call, causeOf, messageOf } from '#platform/client/call.ts'
import { useRunId } from '#platform/client/run-id.ts'
import { formatBytes } from '#shared/bytes.ts'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/layers/dialog.tsx'
import { toastError, toastSuccess } from '#ui/notices/toast.ts'
import type { CutOutFormat, conversionApi } from '../contract.ts'
import { CutOutFormatField } from './cut-out-format-field.tsx'
import { PictureComparison } from './picture-comparison.tsx'

/** Shows the real result on a checkerboard before it is added as a new item. */
export function RemoveBackgroundDialog({ media, onClose }: { media: Media; onClose: () => void }) {
  const [format, setFormat] = useState<CutOutFormat>('webp')
  const runId = useRunId()
  const preview = useQuery(previewQuery(media))
  const remove = useRemoveBackground()
  return (
    <Dialog
      onClose={onClose}
      title="Remove background"
      description={`"${media.filename}" is kept; the image without its background is added as a new item.`}
      size="lg"
      isLocked={remove.isPending}
      footer={
        <>
          <Button onClick={onClose} disabled={remove.isPending}>
            Cancel
          </Button>
          <Button
            variant="primary"
            isPending={remove.isPending}
            disabled={!preview.data}
            onClick={() => remove.mutate({ id: media.id, format, runId: `${runId}-${format}` }, { onSuccess: onClose })}
          >
            Add image
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {preview.isError ? (
          <Alert tone="danger">{messageOf(preview.error, "Couldn't remove the background.")}</Alert>
        ) : (
          <PictureComparison
            mayBeTransparent
            natural={{ width: media.width ?? 1600, height: media.height ?? 1200 }}
            before={{ url: media.originalUrl, label: 'Original' }}
            after={{
              url: preview.data?.url,
              label: preview.data ? `No background · ${formatBytes(preview.data.size)}` : 'Removing background…',
            }}
            dividerLabel="Divider between original and result"
          />
        )}
        <CutOutFormatField value={format} onValueChange={setFormat} />
      </div>
    </Dialog>
  )
}

/** The same bytes always give the same result, so it is never stale. */
const previewQuery = ({ id, originalUrl }: Media) =>
  queryOptions({
    queryKey: ['background-preview', originalUrl] as const,
    queryFn: ({ signal }) =>
      call<typeof conversionApi.previewWithoutBackground>(
        'GET /api/media/:id/background-preview',
        { params: { id } },
        { signal },
      ),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })

function useRemoveBackground() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ id, ...body }: { id: number; format: CutOutFormat; runId: string }) =>
      call<typeof conversionApi.removeBackground>('POST /api/media/:id/remove-background', { params: { id }, body }),
    onSuccess: ({ message }) => {
      toastSuccess('Background removed', message)
      return refreshMedia(queryClient)
    },
    onError: (error) => toastError('Error', messageOf(error, "Couldn't remove the background."), causeOf(error)),
  })
}
