import { keepPreviousData, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { refreshMedia } from '#features/media/client/mutations.ts'
import { mayBeTransparent } from '#features/media/client/viewer/transparency-classes.ts'
import type { Media } from '#features/media/contract.ts'
import { call, messageOf } from '#platform/client/call.ts'
import { useRunId } from '#platform/client/run-id.ts'
import { formatBytes } from '#shared/bytes.ts'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { Slider } from '#ui/forms/slider.tsx'
import { Dialog } from '#ui/layers/dialog.tsx'
import { toast, toastError, toastSuccess } from '#ui/notices/toast.ts'
import { useDebouncedValue } from '#ui/use-debounced-value.ts'
import type { conversionApi } from '../contract.ts'
import { estimateText, measuredText, qualityWarnings, singleQuality, usualQuality } from './convert-text.ts'
import { PictureComparison } from './picture-comparison.tsx'

/** Delay after the last slider move before the server encodes a preview. */
const previewDelayMs = 300

export function ConvertDialog({ media, onClose }: { media: Media; onClose: () => void }) {
  const isWebp = media.mimeType === 'image/webp'
  const [quality, setQuality] = useState(usualQuality(isWebp))
  const runId = useRunId()
  const convert = useConvertToWebp()
  return (
    <Dialog
      onClose={onClose}
      title={isWebp ? 'Compress WebP' : 'Convert to WebP'}
      description={`"${media.filename}" is kept; the WebP is added as a new item.`}
      size="lg"
      isLocked={convert.isPending}
      footer={
        <>
          <Button onClick={onClose} disabled={convert.isPending}>
            Cancel
          </Button>
          <Button
            variant="primary"
            isPending={convert.isPending}
            onClick={() => convert.mutate({ id: media.id, quality, runId }, { onSuccess: onClose })}
          >
            {isWebp ? 'Compress' : 'Convert'} (about 65% savings)
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Comparison media={media} quality={quality} isWebp={isWebp} />
        <Slider
          label="Quality"
          hint="Typical saving: 25-35%."
          value={quality}
          onValueChange={setQuality}
          min={singleQuality.min}
          max={singleQuality.max}
          step={singleQuality.step}
          formatValue={(value) => `${value}%`}
          disabled={convert.isPending}
        />
        {qualityWarnings(quality, isWebp).map((warning) => (
          <Alert key={warning} tone={quality < singleQuality.warnBelow ? 'danger' : 'info'}>
            {warning}
          </Alert>
        ))}
      </div>
    </Dialog>
  )
}

/** Original and result side by side, with the size estimated immediately and measured shortly after. */
function Comparison({ media, quality, isWebp }: { media: Media; quality: number; isWebp: boolean }) {
  const debounced = useDebouncedValue(quality, previewDelayMs)
  const preview = useQuery(previewQuery(media, debounced))
  const isMeasured = preview.data !== undefined && !preview.isPlaceholderData && debounced === quality
  return (
    <>
      <PictureComparison
        mayBeTransparent={mayBeTransparent(media.mimeType)}
        natural={{ width: media.width ?? 1600, height: media.height ?? 1200 }}
        before={{ url: media.originalUrl, label: `Original · ${formatBytes(media.size)}` }}
        after={{
          url: preview.data?.url,
          label: isMeasured ? `WebP · ${formatBytes(preview.data.size)}` : 'WebP · measuring',
        }}
      />
      <dl className="figures grid grid-cols-3 gap-3 text-sm">
        <SizeFact term="Original">{formatBytes(media.size)}</SizeFact>
        <SizeFact term="Estimated">{estimateText(media.size, quality, isWebp)}</SizeFact>
        <SizeFact term="Measured">
          {isMeasured ? measuredText(preview.data) : preview.isError ? 'not possible' : 'measuring…'}
        </SizeFact>
      </dl>
    </>
  )
}

function SizeFact({ term, children }: { term: string; children: string }) {
  return (
    <div>
      <dt className="text-muted text-xs">{term} size</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** The image at this quality. The same bytes always give the same preview, so it is never stale. */
const previewQuery = ({ id, originalUrl }: Media, quality: number) =>
  queryOptions({
    queryKey: ['webp-preview', originalUrl, quality] as const,
    queryFn: ({ signal }) =>
      call<typeof conversionApi.previewWebp>(
        'GET /api/media/:id/webp-preview',
        { params: { id }, query: { quality } },
        { signal },
      ),
    staleTime: Number.POSITIVE_INFINITY,
    // The previous preview stays visible until the next one has loaded.
    placeholderData: keepPreviousData,
  })

/** Keeps the original and adds the WebP as a new item. */
function useConvertToWebp() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ id, ...body }: { id: number; quality: number; runId: string }) =>
      call<typeof conversionApi.convertToWebp>('POST /api/media/:id/convert-webp', {
        params: { id },
        body: { ...body, deleteOriginal: false },
      }),
    onSuccess: ({ isConverted, message }) => {
      if (isConverted) toastSuccess('Conversion complete', message)
      else toast({ title: 'No savings', description: message })
      return refreshMedia(queryClient)
    },
    onError: (error) => toastError('Conversion failed', 'Could not convert image to WebP.', messageOf(error, '')),
  })
}
