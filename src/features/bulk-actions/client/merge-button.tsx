import Merge from 'lucide-react/icons/merge'
import { countOf } from '#shared/count.ts'
import { Button } from '#ui/button.tsx'
import { useMergeItems } from './bulk-mutations.ts'

type MergeButtonProps = { keptId: number; otherIds: readonly number[]; onMerged?: () => void }

/** Merges duplicates into the one that is kept. It asks no question, because it can be undone. */
export function MergeButton({ keptId, otherIds, onMerged }: MergeButtonProps) {
  const merge = useMergeItems()
  return (
    <Button
      icon={<Merge />}
      isPending={merge.isPending}
      onClick={() => merge.mutate({ keptId, mediaIds: [...otherIds] }, { onSuccess: onMerged })}
      className="max-sm:grow"
    >
      {`Merge ${countOf(otherIds.length + 1, 'item')}`}
    </Button>
  )
}
