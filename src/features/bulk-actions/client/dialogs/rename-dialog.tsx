import { useQueries } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useCollectionNaming } from '#features/collections/client/use-collection-naming.ts'
import { BeforeAndAfter } from '#features/media/client/before-and-after.tsx'
import { NameList } from '#features/media/client/name-list.tsx'
import { PatternField, RenameAddressesSwitch } from '#features/media/client/pattern-field.tsx'
import { mediaQueries } from '#features/media/client/queries.ts'
import { useLibraryView } from '#features/media/client/use-library-view.ts'
import { problemOf } from '#features/media/name-pattern.ts'
import { useRunId } from '#platform/client/run-id.ts'
import { countOf } from '#shared/count.ts'
import { Button } from '#ui/button.tsx'
import { Field } from '#ui/forms/field.tsx'
import { Input } from '#ui/forms/input.tsx'
import { SegmentedControl } from '#ui/forms/segmented-control.tsx'
import { bulkName, type Naming } from '../../bulk-names.ts'
import { maxBaseNameLength, maxPrefixLength } from '../../limits.ts'
import { useBulkRename, usePreviewWebNames } from '../bulk-mutations.ts'
import { BulkDialog, type BulkDialogProps, failedIn } from './bulk-dialog.tsx'

/** By a base name and a prefix, or by a pattern of web names, which are reviewed first. */
export function RenameDialog(props: BulkDialogProps) {
  const [isWeb, setIsWeb] = useState(false)
  const modes = (
    <SegmentedControl
      label="Names"
      value={isWeb ? 'web' : 'numbered'}
      onValueChange={(value) => setIsWeb(value === 'web')}
      segments={[
        { value: 'numbered', label: 'Numbered' },
        { value: 'web', label: 'Web names' },
      ]}
    />
  )
  return isWeb ? <WebNames {...props} modes={modes} /> : <NumberedNames {...props} modes={modes} />
}

type ModeProps = BulkDialogProps & { modes: ReactNode }

function NumberedNames({ mediaIds, onClose, onDone, modes }: ModeProps) {
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
      {modes}
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

function WebNames({ mediaIds, onClose, onDone, modes }: ModeProps) {
  const [pattern, setPattern] = useState('')
  const [renameAddresses, setRenameAddresses] = useState(false)
  const [{ collectionId }] = useLibraryView()
  const naming = useCollectionNaming(collectionId)
  const runId = useRunId()
  const preview = usePreviewWebNames()
  const rename = useBulkRename()
  const names = preview.data?.names
  const changed = names?.filter(({ from, to }) => from !== to) ?? []

  function submit() {
    if (!names) return preview.mutate({ mediaIds: [...mediaIds], pattern: pattern.trim(), collectionId })
    const reviewed = changed.map(({ id, from, to }) => ({ id, from, to }))
    rename.mutate(
      { mediaIds: changed.map(({ id }) => id), runId, names: reviewed, renameAddresses },
      { onSuccess: (outcome) => onDone(failedIn(outcome)) },
    )
  }

  return (
    <BulkDialog
      title="Bulk Rename"
      description="Short names that search engines read, from what the items show."
      submitLabel={names ? `Rename ${countOf(changed.length, 'item')}` : 'Preview names'}
      isDisabled={names ? changed.length === 0 : problemOf(pattern) !== undefined}
      isPending={preview.isPending || rename.isPending}
      runId={runId}
      onClose={onClose}
      onSubmit={submit}
    >
      {names ? (
        <>
          <p className="flex items-center justify-between gap-3 text-muted text-sm">
            <span className="wrap-anywhere">Pattern: {preview.data?.pattern}</span>
            <Button size="sm" variant="quiet" disabled={rename.isPending} onClick={preview.reset}>
              Change
            </Button>
          </p>
          <NameList names={changed} unchanged={names.length - changed.length} />
          {changed.length > 0 && (
            <RenameAddressesSwitch checked={renameAddresses} onCheckedChange={setRenameAddresses} />
          )}
        </>
      ) : (
        <>
          {modes}
          <PatternField pattern={pattern} onChange={setPattern} placeholder={naming.pattern} />
        </>
      )}
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
      <BeforeAndAfter
        names={items.map(({ data }, index) => ({
          key: mediaIds[index]!,
          from: data?.filename,
          to: data && bulkName(data.filename, { index, count: mediaIds.length }, naming),
        }))}
      />
      {hidden > 0 && <p className="text-muted">and {hidden.toLocaleString('en')} more</p>}
    </div>
  )
}
