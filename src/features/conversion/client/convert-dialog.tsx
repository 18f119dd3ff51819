import { keepPreviousData, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { refreshMedia } from '#features/media/client/mutations.ts'
import { mayBeTransparent } from '#features/media/client/viewer/transparency-classes.ts'
import type { Media } from '#features/media/contract.ts'
import { call, causeOf } from '#platform/client/call.ts'
import { useRunId } from '#platform/client/run-id.ts'
import { formatBytes } from '#shared/bytes.ts'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { Field } from '#ui/forms/field.tsx'
import { Select } from '#ui/forms/select.tsx'
import { Slider } from '#ui/forms/slider.tsx'
import { Dialog } from '#ui/layers/dialog.tsx'
import { toast, toastError, toastSuccess } from '#ui/notices/toast.ts'
import { useDebouncedValue } from '#ui/use-debounced-value.ts'
import type { conversionApi } from '../contract.ts'
import { type ConversionFormat, conversionFormats, formatNames } from '../formats.ts'
import {
  estimateText,
  measuredText,
  qualityWarnings,
  savingsText,
  singleQuality,
  usualQuality,
} from './convert-text.ts'
import { PictureComparison } from './picture-comparison.tsx'

/** Delay after the last slider move before the server encodes a preview. */
const previewDelayMs = 300

export function ConvertDialog({ media, onClose }: { media: Media; onClose: () => void }) {
  const [format, setFormat] = useState<ConversionFormat>('webp')
  const { name, mimeType } = conversionFormats[format]
  const isToWebp = format === 'webp'
  const isSame = media.mimeType === mimeType
  const isWebp = isSame && isToWebp
  const [quality, setQuality] = useState(usualQuality(isWebp))
  const runId = useRunId()
  const convert = useConvertToWebp()
  const preview = usePreview(media, { quality, format })
  const verb = isSame ? 'Compress' : 'Convert'
  const guess = isToWebp ? 'about 65% savings' : 'measuring'
  return (
    <Dialog
      onClose={onClose}
      title={isSame ? `Compress ${name}` : `Convert to ${name}`}
      description={`"${media.filename}" is kept; the ${name} is added as a new item.`}
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
            onClick={() =>
              convert.mutate(
                { id: media.id, quality, format, runId: `${runId}-${quality}-${format}` },
                { onSuccess: onClose },
              )
            }
          >
            {verb} ({preview.measured ? savingsText(preview.measured) : guess})
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <PictureComparison
          mayBeTransparent={mayBeTransparent(media.mimeType)}
          dividerLabel={`Divider between original and ${name}`}
          natural={{ width: media.width ?? 1600, height: media.height ?? 1200 }}
          before={{ url: media.originalUrl, label: `Original · ${formatBytes(media.size)}` }}
          after={{
            url: preview.url,
            label: `${name} · ${preview.measured ? formatBytes(preview.measured.size) : preview.state}`,
          }}
        />
        <dl className="figures grid grid-cols-2 gap-3 text-sm">
          <SizeFact term="Original size">{formatBytes(media.size)}</SizeFact>
          {preview.measured ? (
            <SizeFact term={`${name} size`}>{measuredText(preview.measured)}</SizeFact>
          ) : (
            <SizeFact term="Estimated size">
              {isToWebp ? estimateText(media.size, quality, isWebp) : 'measuring'}
            </SizeFact>
          )}
        </dl>
        <Field label="Format">
          <Select
            options={formatNames.map((value) => ({ value, label: conversionFormats[value].name }))}
            value={format}
            disabled={convert.isPending}
            onValueChange={(value) => setFormat(value as ConversionFormat)}
          />
        </Field>
        <Slider
          label="Quality"
          hint={hintOf(format, preview.measured !== undefined)}
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

function hintOf(format: ConversionFormat, isMeasured: boolean) {
  if (isMeasured) return 'The size above was measured at this quality.'
  return format === 'webp' ? 'Typical saving: 25-35%.' : undefined
}

type Target = { quality: number; format: ConversionFormat }

/** The size is estimated until the server has encoded the image at this quality. */
function usePreview(media: Media, { quality, format }: Target) {
  const debounced = useDebouncedValue(quality, previewDelayMs)
  const { data, isPlaceholderData, isError } = useQuery(previewQuery(media, { quality: debounced, format }))
  const isMeasured = data !== undefined && !isPlaceholderData && debounced === quality
  return { url: data?.url, measured: isMeasured ? data : undefined, state: isError ? 'no preview' : 'measuring' }
}

function SizeFact({ term, children }: { term: string; children: string }) {
  return (
    <div>
      <dt className="text-muted text-xs">{term}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** The image at this quality. The same bytes always give the same preview, so it is never stale. */
const previewQuery = ({ id, originalUrl }: Media, { quality, format }: Target) =>
  queryOptions({
    queryKey: ['webp-preview', originalUrl, quality, format] as const,
    queryFn: ({ signal }) =>
      call<typeof conversionApi.previewWebp>(
        'GET /api/media/:id/webp-preview',
        { params: { id }, query: { quality, format } },
        { signal },
      ),
    staleTime: Number.POSITIVE_INFINITY,
    // The previous preview stays visible until the next one has loaded.
    placeholderData: keepPreviousData,
  })

/** Keeps the original and adds the result as a new item. */
function useConvertToWebp() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ id, ...body }: Target & { id: number; runId: string }) =>
      call<typeof conversionApi.convertToWebp>('POST /api/media/:id/convert-webp', {
        params: { id },
        body: { ...body, deleteOriginal: false },
      }),
    onSuccess: ({ isConverted, message }) => {
      if (isConverted) toastSuccess('Conversion complete', message)
      else toast({ title: 'No savings', description: message })
      return refreshMedia(queryClient)
    },
    onError: (error, { format }) =>
      toastError('Conversion failed', `Could not convert image to ${conversionFormats[format].name}.`, causeOf(error)),
  })
}
