import Shredder from 'lucide-react/icons/shredder'
import { useState } from 'react'
import { Button } from '#ui/button.tsx'
import { ConfirmDialog } from '#ui/layers/confirm-dialog.tsx'
import { useDeleteAllVersions } from './mutations.ts'

/** Frees the space of the earlier files of all items. */
export function DeleteAllVersions() {
  const [isAsking, setIsAsking] = useState(false)
  const remove = useDeleteAllVersions()
  return (
    <>
      <Button icon={<Shredder />} variant="quiet" onClick={() => setIsAsking(true)}>
        Delete earlier versions…
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        title="Delete all earlier versions?"
        description="The earlier files of all your items will be permanently deleted. Replaced, edited and converted files can then no longer be restored."
        confirmLabel="Delete versions"
        tone="danger"
        isPending={remove.isPending}
        onConfirm={() => remove.mutate(undefined, { onSettled: () => setIsAsking(false) })}
      />
    </>
  )
}
