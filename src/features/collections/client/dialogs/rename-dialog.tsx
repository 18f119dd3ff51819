import type { Collection } from '../../contract.ts'
import { useUpdateCollection } from '../mutations.ts'
import { CollectionForm } from './collection-form.tsx'

export function RenameDialog({ collection, onClose }: { collection: Collection; onClose: () => void }) {
  const update = useUpdateCollection()
  return (
    <CollectionForm
      title="Rename Collection"
      submitLabel="Save"
      hasCompany={false}
      initial={{ name: collection.name, description: collection.description ?? '' }}
      isPending={update.isPending}
      // An empty string clears the description; an absent one would keep it.
      onSubmit={({ name, description = collection.description ? '' : undefined }) =>
        update.mutate({ id: collection.id, name, description }, { onSuccess: onClose })
      }
      onClose={onClose}
    />
  )
}
