import { useQueries } from '@tanstack/react-query'
import ArrowRight from 'lucide-react/icons/arrow-right'
import { useState } from 'react'
import { mediaQueries } from '#features/media/client/queries.ts'
import { useRunId } from '#platform/client/run-id.ts'
import { countOf } from '#shared/count.ts'
import { Field } from '#ui/forms/field.tsx'
import { Input } from '#ui/forms/input.tsx'
import { bulkName, type Naming } from '../../bulk-names.ts'
import { maxBaseNameLength, maxPrefixLength } from '../../limits.ts'
import { useBulkRename } from '../bulk-mutations.ts'
import { BulkDialog, type BulkDialogProps, failedIn } from './bulk-dialog.tsx'

export function RenameDialog({ mediaIds, onClose, onDone }: BulkDialogProps) {
  const [baseName, setBaseName] = useState('')
  const [prefix, setPrefix] = useState('')
  const runId = useRunId()
  const rename = useBulkRename()
  const naming = { baseName: baseName.trim() || undefined, prefix: prefix.trim() || undefined }
  return (
    <BulkDialog
      title="Bulk Rename"
      description={`${countOf(mediaIds.length, 'item')} will be renamed. File extensions are kept.`}
      submitLabel={`Rename ${countOf(mediaIds.length, 'item')}`}
      isDisabled={!naming.baseName && !naming.prefix}
      isPending={rename.isPending}
      runId={runId}
      onClose={onClose}
      onSubmit={() =>
        rename.mutate(
          { mediaIds: [...mediaIds], runId, ...naming },
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
      <NamePreview mediaIds={mediaIds} naming={naming} />
    </BulkDialog>
  )
}

const shown = 4

/** The first names, before and after. The server numbers the items in the order in which they were selected. */
function NamePreview({ mediaIds, naming }: { mediaIds: readonly number[]; naming: Naming }) {
  const items = useQueries({ queries: mediaIds.slice(0, shown).map(mediaQueries.one) })
  const hidden = mediaIds.length - items.length
  return (
    <div className="space-y-1 text-sm">
      <ul aria-label="Preview" className="space-y-1">
        {items.map(({ data }, index) => (
          <li
            key={mediaIds[index]}
            // The height is kept while the names load.
            className="grid min-h-5 grid-cols-[minmax(0,1fr)_auto_minmax(0,1fr)] items-center gap-2"
          >
            {data && (
              <>
                <span className="truncate text-muted">{data.filename}</span>
                <ArrowRight role="img" aria-label="becomes" className="size-4 text-faint" />
                <span className="truncate">{bulkName(data.filename, { index, count: mediaIds.length }, naming)}</span>
              </>
            )}
          </li>
        ))}
      </ul>
      {hidden > 0 && <p className="text-muted">and {hidden.toLocaleString('en')} more</p>}
    </div>
  )
}
