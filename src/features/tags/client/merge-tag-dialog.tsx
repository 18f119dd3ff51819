import { type FormEvent, useState } from 'react'
import { TagInput } from '#features/media/client/tag-input.tsx'
import { maxTagLength } from '#features/media/limits.ts'
import { countOf } from '#shared/count.ts'
import { Button } from '#ui/button.tsx'
import { Field } from '#ui/forms/field.tsx'
import { Dialog } from '#ui/layers/dialog.tsx'
import type { LibraryTag } from '../contract.ts'
import { type UndoChange, useMergeTags } from './mutations.ts'
import { NamingCollections } from './naming-collections.tsx'

type MergeTagDialogProps = { tag: LibraryTag; into?: string; undo: UndoChange; onClose: () => void }

export function MergeTagDialog({ tag: { tag, count }, into: wanted = '', undo, onClose }: MergeTagDialogProps) {
  const [typed, setTyped] = useState(wanted)
  const merge = useMergeTags(undo)
  const into = typed.trim().toLowerCase()
  const isReady = into !== '' && into !== tag && !into.includes(',')
  function submit(event: FormEvent) {
    event.preventDefault()
    if (isReady && !merge.isPending) merge.mutate({ from: [tag], into }, { onSuccess: onClose })
  }
  return (
    <Dialog
      onClose={onClose}
      isLocked={merge.isPending}
      size="sm"
      title={`Merge "${tag}"`}
      description={
        wanted
          ? `The tag "${wanted}" already exists. ${countOf(count, 'item')} with "${tag}" can get it instead.`
          : `${countOf(count, 'item')} with "${tag}" will get the other tag instead.`
      }
      onSubmit={submit}
      footer={
        <>
          <Button disabled={merge.isPending} onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" variant="primary" disabled={!isReady} isPending={merge.isPending}>
            Merge
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        <NamingCollections tag={tag} isMerged />
        <Field label="Merge into">
          <TagInput
            value={typed}
            present={[tag]}
            maxLength={maxTagLength}
            onValueChange={setTyped}
            onChoose={setTyped}
          />
        </Field>
      </div>
    </Dialog>
  )
}
