import { useState } from 'react'
import { useRunId } from '#platform/client/run-id.ts'
import { countOf } from '#shared/count.ts'
import { Field } from '#ui/forms/field.tsx'
import { Input } from '#ui/forms/input.tsx'
import { maxBaseNameLength, maxPrefixLength } from '../../limits.ts'
import { useBulkRename } from '../bulk-mutations.ts'
import { BulkDialog, type BulkDialogProps, failedIn } from './bulk-dialog.tsx'

export function RenameDialog({ mediaIds, onClose, onDone }: BulkDialogProps) {
  const [baseName, setBaseName] = useState('')
  const [prefix, setPrefix] = useState('')
  const runId = useRunId()
  const rename = useBulkRename()
  const example = `${prefix.trim()}${baseName.trim() ? `${baseName.trim()}-${'1'.padStart(String(mediaIds.length).length, '0')}` : 'current name'}.jpg`
  return (
    <BulkDialog
      title="Bulk Rename"
      description={`${countOf(mediaIds.length, 'item')} will be renamed. File extensions are kept.`}
      submitLabel={`Rename ${countOf(mediaIds.length, 'item')}`}
      isDisabled={!baseName.trim() && !prefix.trim()}
      isPending={rename.isPending}
      runId={runId}
      onClose={onClose}
      onSubmit={() =>
        rename.mutate(
          {
            mediaIds: [...mediaIds],
            runId,
            baseName: baseName.trim() || undefined,
            prefix: prefix.trim() || undefined,
          },
          { onSuccess: (outcome) => onDone(failedIn(outcome)) },
        )
      }
    >
      <Field
        label="Base name"
        isOptional
        hint="Items are numbered: name-1, name-2, … Leave empty to add only the prefix."
      >
        <Input value={baseName} maxLength={maxBaseNameLength} onChange={(event) => setBaseName(event.target.value)} />
      </Field>
      <Field label="Prefix" isOptional>
        <Input value={prefix} maxLength={maxPrefixLength} onChange={(event) => setPrefix(event.target.value)} />
      </Field>
      <p className="text-muted text-sm">
        For example <span className="text-ink">{example}</span>
      </p>
    </BulkDialog>
  )
}
