import { useRunId } from '#platform/client/run-id.ts'
import type { Collection } from '../../contract.ts'
import { useCreateCollection } from '../mutations.ts'
import { CollectionForm } from './collection-form.tsx'

type CreateDialogProps = { onClose: () => void; onCreated?: (collection: Collection) => void }

export function CreateDialog({ onClose, onCreated }: CreateDialogProps) {
  const runId = useRunId()
  const create = useCreateCollection()
  return (
    <CollectionForm
      title="Create Collection"
      submitLabel="Create"
      isPending={create.isPending}
      onSubmit={(draft) =>
        create.mutate(
          { ...draft, runId },
          {
            onSuccess: (collection) => {
              onClose()
              onCreated?.(collection)
            },
          },
        )
      }
      onClose={onClose}
    />
  )
}
