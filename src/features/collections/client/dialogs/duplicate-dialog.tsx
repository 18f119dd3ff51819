import { useState } from 'react'
import { useServices } from '#features/media/client/use-services.ts'
import { useRunId } from '#platform/client/run-id.ts'
import { Switch } from '#ui/forms/switch.tsx'
import type { Collection } from '../../contract.ts'
import { maxNameLength } from '../../limits.ts'
import { useDuplicateCollection } from '../mutations.ts'
import { CollectionForm } from './collection-form.tsx'

const ending = ' - Copy'

type DuplicateDialogProps = {
  collection: Collection
  /** Renames and describes the copies, in dialogs of another feature. */
  onRewrite: (copy: Collection) => void
  onClose: () => void
}

export function DuplicateDialog({ collection, onRewrite, onClose }: DuplicateDialogProps) {
  const { hasAi } = useServices()
  const isSmart = collection.query !== null
  const [isRewriting, setIsRewriting] = useState(false)
  const runId = useRunId()
  const duplicate = useDuplicateCollection()
  return (
    <CollectionForm
      title="Duplicate for Other Website"
      description={
        isSmart
          ? 'The copy has the same search, so both contain the same items.'
          : 'The copy has its own items, which can be edited separately. The files themselves are stored once.'
      }
      submitLabel="Duplicate"
      initial={{ name: cut(collection.name) + ending, description: collection.description ?? '' }}
      isPending={duplicate.isPending}
      onSubmit={(draft) =>
        duplicate.mutate(
          { ...draft, id: collection.id, runId },
          { onSuccess: ({ collection: copy }) => (isRewriting ? onRewrite(copy) : onClose()) },
        )
      }
      onClose={onClose}
    >
      {hasAi && !isSmart && (
        <Switch
          label="Rewrite the copies with AI"
          hint="Suggests names and descriptions for the other website, which you review."
          checked={isRewriting}
          onCheckedChange={setIsRewriting}
        />
      )}
    </CollectionForm>
  )
}

/** Makes room for the ending and drops the half of an emoji that `slice` may leave. */
const cut = (name: string) => name.slice(0, maxNameLength - ending.length).replace(/[\ud800-\udbff]$/, '')
