import { useRunId } from '#platform/client/run-id.ts'
import type { Collection } from '../../contract.ts'
import { maxNameLength } from '../../limits.ts'
import { useDuplicateCollection } from '../mutations.ts'
import { CollectionForm } from './collection-form.tsx'

const ending = ' - Copy'

export function DuplicateDialog({ collection, onClose }: { collection: Collection; onClose: () => void }) {
  const runId = useRunId()
  const duplicate = useDuplicateCollection()
  return (
    <CollectionForm
      title="Duplicate for Other Website"
      description="The copy has its own items, which can be edited separately. The files themselves are stored once."
      submitLabel="Duplicate"
      initial={{ name: cut(collection.name) + ending, description: collection.description ?? '' }}
      isPending={duplicate.isPending}
      onSubmit={(draft) => duplicate.mutate({ ...draft, id: collection.id, runId }, { onSuccess: onClose })}
      onClose={onClose}
    />
  )
}

/** Makes room for the ending and drops the half of an emoji that `slice` may leave. */
const cut = (name: string) => name.slice(0, maxNameLength - ending.length).replace(/[\ud800-\udbff]$/, '')
