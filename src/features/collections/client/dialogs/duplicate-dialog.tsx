import type { Collection } from '../../contract.ts'
import { useDuplicateCollection } from '../mutations.ts'
import { CollectionForm } from './collection-form.tsx'

export function DuplicateDialog({ collection, onClose }: { collection: Collection; onClose: () => void }) {
  const duplicate = useDuplicateCollection()
  return (
    <CollectionForm
      title="Duplicate for Other Website"
      description="The copy has items of its own, which can be renamed and described anew. The bytes are shared."
      submitLabel="Duplicate"
      initial={{ name: `${collection.name} - Copy`, description: collection.description ?? '' }}
      isPending={duplicate.isPending}
      onSubmit={(draft) => duplicate.mutate({ id: collection.id, draft }, { onSuccess: onClose })}
      onClose={onClose}
    />
  )
}
