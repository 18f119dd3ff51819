import { type FormEvent, useState } from 'react'
import { useCollectionNaming } from '#features/collections/client/use-collection-naming.ts'
import { NameList } from '#features/media/client/name-list.tsx'
import { PatternField, RenameAddressesSwitch } from '#features/media/client/pattern-field.tsx'
import { problemOf } from '#features/media/name-pattern.ts'
import { countOf } from '#shared/count.ts'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { Field } from '#ui/forms/field.tsx'
import { Input } from '#ui/forms/input.tsx'
import { SegmentedControl } from '#ui/forms/segmented-control.tsx'
import { Textarea } from '#ui/forms/textarea.tsx'
import { Dialog } from '#ui/layers/dialog.tsx'
import { maxRenameWords } from '../contract.ts'
import { useAiRename, usePreviewAiRename } from './mutations.ts'

type AiRenameDialogProps = {
  collection: { id: number; name: string; company: string | null }
  /** Of the button that closes the dialog without renaming. */
  cancelLabel?: string
  onClose: () => void
}

/** Renames the images of a collection after a preview. The toast afterwards offers an undo. */
export function AiRenameDialog({ collection, cancelLabel = 'Cancel', onClose }: AiRenameDialogProps) {
  const [company, setCompany] = useState(collection.company ?? '')
  const [context, setContext] = useState('')
  const preview = usePreviewAiRename()
  const rename = useAiRename()
  const naming = useCollectionNaming(collection.id)
  const [chosen, setIsWeb] = useState<boolean>()
  const isWeb = chosen ?? naming.pattern !== undefined
  const [pattern, setPattern] = useState('')
  const [renameAddresses, setRenameAddresses] = useState(false)
  const wanted = {
    id: collection.id,
    company: company.trim(),
    context: context.trim() || undefined,
    pattern: isWeb ? pattern.trim() : null,
  }
  const names = preview.data?.names
  const changed = names?.filter(({ from, to }) => from !== to) ?? []

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!names) preview.mutate(wanted)
    else
      rename.mutate(
        { ...wanted, renameAddresses, names: changed.map(({ id, from, to }) => ({ id, from, to })) },
        { onSuccess: onClose },
      )
  }

  return (
    <Dialog
      onClose={onClose}
      isLocked={rename.isPending}
      title="AI Rename Images"
      description={`Readable names for the images in "${collection.name}".`}
      onSubmit={submit}
      footer={
        <>
          <Button onClick={names ? preview.reset : onClose} disabled={rename.isPending}>
            {names ? 'Back' : cancelLabel}
          </Button>
          <Button
            type="submit"
            variant="primary"
            disabled={!wanted.company || (isWeb && Boolean(problemOf(pattern))) || (names && changed.length === 0)}
            isPending={preview.isPending || rename.isPending}
          >
            {names ? `Rename ${countOf(changed.length, 'image')}` : 'Preview names'}
          </Button>
        </>
      }
    >
      {names ? (
        <>
          {preview.data?.note && (
            <Alert tone="info" className="mb-3">
              {preview.data.note}
            </Alert>
          )}
          <NameList names={changed} unchanged={names.length - changed.length} />
          {changed.length > 0 && (
            <RenameAddressesSwitch checked={renameAddresses} onCheckedChange={setRenameAddresses} />
          )}
        </>
      ) : (
        <div className="space-y-4">
          <Field label="Company">
            <Input maxLength={maxRenameWords} value={company} onChange={(event) => setCompany(event.target.value)} />
          </Field>
          <Field label="Context" isOptional hint={`What the names are for, such as "spring catalog".`}>
            <Textarea maxLength={maxRenameWords} value={context} onChange={(event) => setContext(event.target.value)} />
          </Field>
          <SegmentedControl
            label="Names"
            value={isWeb ? 'web' : 'readable'}
            onValueChange={(value) => setIsWeb(value === 'web')}
            segments={[
              { value: 'readable', label: 'Readable names' },
              { value: 'web', label: 'Web names' },
            ]}
          />
          {isWeb && <PatternField pattern={pattern} onChange={setPattern} placeholder={naming.pattern} />}
          <p role="status" className="text-muted text-sm">
            {preview.isPending && 'Generating names. This can take up to a minute.'}
          </p>
        </div>
      )}
    </Dialog>
  )
}
