import Trash2 from 'lucide-react/icons/trash-2'
import { useState } from 'react'
import { countOf } from '#shared/count.ts'
import { Button } from '#ui/button.tsx'
import { ConfirmDialog } from '#ui/layers/confirm-dialog.tsx'
import { useEmptyTrash } from './mutations.ts'

/** Asks with the number of everything in the trash; as long as that is not known, there is nothing to press. */
export function EmptyTrash({ count }: { count: number | undefined }) {
  const [isAsking, setIsAsking] = useState(false)
  const empty = useEmptyTrash()
  return (
    <>
      <Button
        icon={<Trash2 />}
        isInactive={count === undefined}
        onClick={() => setIsAsking(true)}
        // On a phone there is no room for all in one line: the others stay together.
        className="max-sm:order-last"
      >
        Empty Trash
      </Button>
      {count !== undefined && (
        <ConfirmDialog
          isOpen={isAsking}
          onClose={() => setIsAsking(false)}
          title="Empty Trash?"
          description={`${countOf(count, 'item')} will be permanently deleted. This action cannot be undone.`}
          confirmLabel="Empty Trash"
          tone="danger"
          isPending={empty.isPending}
          onConfirm={() => empty.mutate(undefined, { onSettled: () => setIsAsking(false) })}
        />
      )}
    </>
  )
}
