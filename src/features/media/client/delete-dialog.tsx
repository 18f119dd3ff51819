import { ConfirmDialog } from '#ui/layers/confirm-dialog.tsx'
import type { Media } from '../contract.ts'
import { useDeleteMedia } from './mutations.ts'

type DeleteDialogProps = { media: Media; onClose: () => void; onDeleted?: () => void }

export function DeleteDialog({ media, onClose, onDeleted }: DeleteDialogProps) {
  const remove = useDeleteMedia()
  return (
    <ConfirmDialog
      onClose={onClose}
      title={`Delete "${media.filename}"?`}
      description="Are you sure you want to delete this media? This action cannot be undone."
      confirmLabel="Delete"
      tone="danger"
      isPending={remove.isPending}
      onConfirm={() => remove.mutate(media.id, { onSettled: onClose, onSuccess: onDeleted })}
    />
  )
}
