import { useState } from 'react'
import { countOf } from '#shared/count.ts'
import { Checkbox } from '#ui/forms/checkbox.tsx'
import { ConfirmDialog } from '#ui/layers/confirm-dialog.tsx'
import type { LibraryTag } from '../contract.ts'
import { type UndoChange, useDeleteTag } from './mutations.ts'
import { NamingCollections } from './naming-collections.tsx'

type DeleteTagDialogProps = { tag: LibraryTag; undo: UndoChange; onClose: () => void }

export function DeleteTagDialog({ tag: { tag, count, isNever: wasNever }, undo, onClose }: DeleteTagDialogProps) {
  const [isNever, setIsNever] = useState(wasNever)
  const remove = useDeleteTag(undo)
  return (
    <ConfirmDialog
      onClose={onClose}
      title={`Delete "${tag}"?`}
      description={`This removes the tag from ${countOf(count, 'item')}, and from items in the trash. The items are kept. You can undo it in the history for 30 days.`}
      confirmLabel="Delete Tag"
      isPending={remove.isPending}
      onConfirm={() => remove.mutate({ tag, isNever }, { onSuccess: onClose })}
    >
      <div className="space-y-4">
        <NamingCollections tag={tag} />
        <Checkbox
          label="Never suggest it again"
          hint="The AI leaves it out for new items too."
          checked={isNever}
          onCheckedChange={setIsNever}
        />
      </div>
    </ConfirmDialog>
  )
}
