import { countOf } from '#shared/count.ts'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'
import { useEmptyTrash } from './mutations.ts'

type EmptyTrashDialogProps = { isOpen: boolean; onOpenChange: (isOpen: boolean) => void; count: number }

export function EmptyTrashDialog({ isOpen, onOpenChange, count }: EmptyTrashDialogProps) {
  const empty = useEmptyTrash()
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onOpenChange={onOpenChange}
      title="Empty Trash?"
      description={`${countOf(count, 'item')} will be deleted for good. This action cannot be undone.`}
      confirmLabel="Empty Trash"
      tone="danger"
      isPending={empty.isPending}
      onConfirm={() => empty.mutate(undefined, { onSettled: () => onOpenChange(false) })}
    />
  )
}
