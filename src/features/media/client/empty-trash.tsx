import Shredder from 'lucide-react/icons/shredder'
import { useState } from 'react'
import { countOf } from '#shared/count.ts'
import { Button } from '#ui/button.tsx'
import { ConfirmDialog } from '#ui/layers/confirm-dialog.tsx'
import { useMediaQuery } from '#ui/use-media-query.ts'
import { useEmptyTrash } from './mutations.ts'

/** The question includes the number of items in the trash, so the button is disabled until the number is known. */
export function EmptyTrash({ count }: { count: number | undefined }) {
  const [isAsking, setIsAsking] = useState(false)
  const empty = useEmptyTrash()
  // As quiet as its neighbors in the row of the tabs.
  const isPhone = useMediaQuery('(width < 40rem)')
  return (
    <>
      <Button
        icon={<Shredder />}
        variant={isPhone ? 'quiet' : 'secondary'}
        isInactive={count === undefined}
        onClick={() => setIsAsking(true)}
        className="max-sm:w-9 max-sm:px-0"
      >
        <span className="max-sm:sr-only">Empty Trash</span>
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
