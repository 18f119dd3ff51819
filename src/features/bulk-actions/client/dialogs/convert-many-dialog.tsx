import { useState } from 'react'
import { type ConversionFormat, conversionFormats, formatNames } from '#features/conversion/formats.ts'
import { defaultQuality, maxQuality, minQuality } from '#features/conversion/limits.ts'
import { trashDays } from '#features/media/limits.ts'
import { useRunId } from '#platform/client/run-id.ts'
import { countOf } from '#shared/count.ts'
import { maxEditedSide } from '#shared/picture-edit.ts'
import { Checkbox } from '#ui/forms/checkbox.tsx'
import { Field } from '#ui/forms/field.tsx'
import { Input } from '#ui/forms/input.tsx'
import { Select } from '#ui/forms/select.tsx'
import { Slider } from '#ui/forms/slider.tsx'
import { ConfirmDialog } from '#ui/layers/confirm-dialog.tsx'
import { useBulkConvert, useStopRun } from '../bulk-mutations.ts'
import { BulkDialog, type BulkDialogProps, failedIn } from './bulk-dialog.tsx'

export function ConvertManyDialog({ mediaIds, onClose, onDone }: BulkDialogProps) {
  const [quality, setQuality] = useState(defaultQuality)
  const [deleteOriginal, setDeleteOriginal] = useState(false)
  const [format, setFormat] = useState<ConversionFormat>('webp')
  const [longestSideText, setLongestSideText] = useState('')
  const [isAsking, setIsAsking] = useState(false)
  // Each combination of options is a separate run, as the server answers a repeated run id with the first run's result.
  const longestSide = Number.parseInt(longestSideText, 10) || undefined
  const runId = `${useRunId()}-${quality}-${deleteOriginal}-${format}-${longestSide ?? 'full'}`
  const { name } = conversionFormats[format]
  const convert = useBulkConvert()
  const stop = useStopRun()
  // The run in progress keeps its id even if the options change meanwhile.
  const runningId = convert.variables?.runId ?? runId
  const count = countOf(mediaIds.length, 'item')

  function start() {
    setIsAsking(false)
    stop.reset()
    convert.mutate(
      { mediaIds: [...mediaIds], runId, quality, deleteOriginal, format, longestSide },
      { onSuccess: (outcome) => onDone([...failedIn(outcome), ...outcome.left]) },
    )
  }

  return (
    <>
      <BulkDialog
        title="Convert to WebP"
        description={`${count} will be converted. Files that wouldn't shrink are skipped. Videos can't be converted and stay selected.`}
        submitLabel={deleteOriginal ? `Replace ${count}…` : `Convert ${count}`}
        tone={deleteOriginal ? 'danger' : 'primary'}
        isPending={convert.isPending}
        runId={runningId}
        onStop={() => stop.mutate(runningId)}
        isStopping={stop.isPending || stop.isSuccess}
        onClose={onClose}
        onSubmit={deleteOriginal ? () => setIsAsking(true) : start}
      >
        <Slider
          label="Quality"
          value={quality}
          onValueChange={setQuality}
          min={minQuality}
          max={maxQuality}
          formatValue={(value) => `${value}%`}
        />
        {format === 'webp' && (
          <p className="text-muted text-sm">WebP files are typically 25-35% smaller at the same quality.</p>
        )}
        {format === 'avif' && (
          <p className="text-muted text-sm">
            AVIF files are usually smaller than WebP. They take longer to encode and contain no camera data.
          </p>
        )}
        <div className="grid grid-cols-2 gap-3">
          <Field label="Format">
            <Select
              options={formatNames.map((value) => ({ value, label: conversionFormats[value].name }))}
              value={format}
              disabled={convert.isPending}
              onValueChange={(value) => setFormat(value as ConversionFormat)}
            />
          </Field>
          <Field label="Longest side" isOptional>
            <Input
              type="number"
              inputMode="numeric"
              min={1}
              max={maxEditedSide}
              placeholder="Full size"
              trailing="px"
              disabled={convert.isPending}
              value={longestSideText}
              onChange={({ target }) => setLongestSideText(target.value)}
            />
          </Field>
        </div>
        <Checkbox
          label="Delete originals"
          hint={`Replaces each original, keeping tags, collections and links. When off, a ${name} copy is added.`}
          disabled={convert.isPending}
          checked={deleteOriginal}
          onCheckedChange={setDeleteOriginal}
        />
      </BulkDialog>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        title="Replace originals?"
        description={`${count} will be replaced with ${name} files. The originals are kept as versions for ${trashDays} days, and you can undo this in History.`}
        confirmLabel={`Replace ${count}`}
        onConfirm={start}
      />
    </>
  )
}
