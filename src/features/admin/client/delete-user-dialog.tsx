import { countOf } from '#shared/count.ts'
import { ConfirmDialog } from '#ui/layers/confirm-dialog.tsx'
import type { AdminUser } from '../contract.ts'
import { useDeleteUser } from './mutations.ts'

export function DeleteUserDialog({ user, onClose }: { user: AdminUser; onClose: () => void }) {
  const remove = useDeleteUser()
  const losses = `${countOf(user.media_count, 'item')} and ${countOf(user.collection_count, 'collection')}`
  return (
    <ConfirmDialog
      onClose={onClose}
      title={`Delete ${user.username}?`}
      description={`The account is permanently deleted, with ${losses}. This cannot be undone.`}
      confirmLabel="Delete user"
      isPending={remove.isPending}
      onConfirm={() => remove.mutate(user, { onSettled: onClose })}
    />
  )
}
