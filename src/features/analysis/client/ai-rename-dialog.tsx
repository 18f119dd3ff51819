import { type FormEvent, useState } from 'react'
import { countOf } from '#shared/count.ts'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { Field } from '#ui/forms/field.tsx'
import { Input } from '#ui/forms/input.tsx'
import { Textarea } from '#ui/forms/textarea.tsx'
import { ImageWithFallback } from '#ui/image-with-fallback.tsx'
import { Dialog } from '#ui/layers/dialog.tsx'
import { maxRenameWords, type NewName } from '../contract.ts'
import { useAiRename, usePreviewAiRename } from './mutations.ts'

type AiRenameDialogProps = {
  collection: { id: number; name: string; company: string | null }
  onClose: () => void
}

/** Renames the images of a collection after a preview. The toast afterwards offers an undo. */
export function AiRenameDialog({ collection, onClose }: AiRenameDialogProps) {
  const [company, setCompany] = useState(collection.company ?? '')
  const [context, setContext] = useState('')
  const preview = usePreviewAiRename()
  const rename = useAiRename()
  const wishes = { id: collection.id, company: company.trim(), context: context.trim() || undefined }
  const names = preview.data?.names
  const changed = names?.filter(({ from, to }) => from !== to) ?? []

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!names) preview.mutate(wishes)
    else
      rename.mutate({ ...wishes, names: changed.map(({ id, from, to }) => ({ id, from, to })) }, { onSuccess: onClose })
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
            {names ? 'Back' : 'Cancel'}
          </Button>
          <Button
            type="submit"
            variant="primary"
            disabled={!wishes.company || (names && changed.length === 0)}
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
        </>
      ) : (
        <div className="space-y-4">
          <Field label="Company">
            <Input maxLength={maxRenameWords} value={company} onChange={(event) => setCompany(event.target.value)} />
          </Field>
          <Field label="Context" isOptional hint={`What the names are for, such as "spring catalog".`}>
            <Textarea maxLength={maxRenameWords} value={context} onChange={(event) => setContext(event.target.value)} />
          </Field>
          <p role="status" className="text-muted text-sm">
            {preview.isPending && 'Generating names. This can take up to a minute.'}
          </p>
        </div>
      )}
    </Dialog>
  )
}

const shownNames = 200

function NameList({ names, unchanged }: { names: NewName[]; unchanged: number }) {
  if (names.length === 0) return <p className="text-muted">All images already have matching names.</p>
  return (
    <>
      <ul aria-label="New names" className="divide-y divide-line text-sm">
        {names.slice(0, shownNames).map(({ id, from, to, thumbnailUrl }) => (
          <li key={id} className="flex items-center gap-3 py-2">
            <ImageWithFallback sources={[thumbnailUrl]} alt="" className="w-10 shrink-0 rounded-sm" />
            <p className="wrap-anywhere min-w-0">
              <span className="text-muted line-through">{from}</span>
              <br />
              {to}
            </p>
          </li>
        ))}
      </ul>
      <p className="pt-3 text-muted text-sm">
        {names.length > shownNames && `And ${countOf(names.length - shownNames, 'more image')}. `}
        {unchanged > 0 && `${countOf(unchanged, 'image')} unchanged.`}
      </p>
    </>
  )
}
