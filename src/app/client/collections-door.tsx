import { Suspense } from 'react'
import { CollectionsTab } from '#features/collections/client/collections-tab.tsx'
import { lazyPart } from '#ui/lazy-part.ts'

const ShareDialog = lazyPart(
  async () => (await import('#features/sharing/client/share-dialog/share-dialog.tsx')).ShareDialog,
)
const AiRenameDialog = lazyPart(
  async () => (await import('#features/analysis/client/ai-rename-dialog.tsx')).AiRenameDialog,
)

/** Collections with the dialogs that other features bring to them, loaded when they are first wanted. */
export function CollectionsDoor() {
  return (
    <CollectionsTab
      renderShareDialog={(collection, close) => (
        <Suspense>
          <ShareDialog collection={collection} onClose={close} />
        </Suspense>
      )}
      renderAiRenameDialog={(collection, close) => (
        <Suspense>
          <AiRenameDialog collection={collection} onClose={close} />
        </Suspense>
      )}
    />
  )
}
