import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { AiRenameDialog } from '#features/analysis/client/ai-rename-dialog.tsx'
import { AiTagDialog } from '#features/analysis/client/ai-tag-dialog.tsx'
import { collectionQueries } from '#features/collections/client/queries.ts'
import type { Collection } from '#features/collections/contract.ts'
import { maxItemsAtOnce } from '#features/media/limits.ts'

/** Names the items of a new copy for its website, then describes them; both are reviewed, and each can be skipped. */
export function RewriteDialogs({ copy, onClose }: { copy: Collection; onClose: () => void }) {
  const [isNamed, setIsNamed] = useState(false)
  const { data } = useQuery(collectionQueries.media(copy.id))
  if (!isNamed || !data) {
    const isEmpty = data?.media.length === 0
    return (
      <AiRenameDialog collection={copy} cancelLabel="Skip" onClose={() => (isEmpty ? onClose() : setIsNamed(true))} />
    )
  }
  return (
    <AiTagDialog
      mediaIds={data.media.slice(0, maxItemsAtOnce).map(({ id }) => id)}
      websiteId={copy.websiteId ?? undefined}
      isReviewed
      onClose={onClose}
      onDone={onClose}
    />
  )
}
