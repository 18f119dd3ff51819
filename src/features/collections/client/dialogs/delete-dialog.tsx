import { ConfirmDialog } from '#ui/layers/confirm-dialog.tsx'
import type { Collection } from '../../contract.ts'
import { useDeleteCollection } from '../mutations.ts'

export function DeleteCollectionDialog({ collection, onClose }: { collection: Collection; onClose: () => void }) {
  const remove = useDeleteCollection()
  return (
    <ConfirmDialog
      onClose={onClose}
      title={`Delete "${collection.name}"?`}
      description="This deletes the collection and its public page. The media files inside are not deleted and stay in your library."
      confirmLabel="Delete Collection"
      isPending={remove.isPending}
      onConfirm={() => remove.mutate(collection.id, { onSettled: onClose })}
    />
  )
}
