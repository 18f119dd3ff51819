import { itemsInWords } from '#shared/count.ts'
import { ConfirmDialog } from '#ui/layers/confirm-dialog.tsx'
import type { Collection } from '../../contract.ts'
import { useFreezeCollection } from '../mutations.ts'

export function FreezeDialog({ collection, onClose }: { collection: Collection; onClose: () => void }) {
  const freeze = useFreezeCollection()
  const { id, name, mediaCount } = collection
  return (
    <ConfirmDialog
      onClose={onClose}
      tone="neutral"
      title={`Freeze "${name}"?`}
      description={`It becomes a normal collection of the ${itemsInWords(mediaCount)} that it contains now, which you can add, remove and arrange. Its search is removed; the public link and branding are kept.`}
      confirmLabel="Freeze"
      isPending={freeze.isPending}
      onConfirm={() => freeze.mutate(id, { onSuccess: onClose })}
    />
  )
}
