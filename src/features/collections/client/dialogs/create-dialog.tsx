import { useCreateCollection } from '../mutations.ts'
import { CollectionForm } from './collection-form.tsx'

export function CreateDialog({ onClose }: { onClose: () => void }) {
  const create = useCreateCollection()
  return (
    <CollectionForm
      title="Create Collection"
      submitLabel="Create"
      isPending={create.isPending}
      onSubmit={(draft) => create.mutate(draft, { onSuccess: onClose })}
      onClose={onClose}
    />
  )
}
