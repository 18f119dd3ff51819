import { useState } from 'react'
import { type CollectionDialogName, CollectionDialogs } from '#features/collections/client/collection-dialogs.tsx'
import type { Collection } from '#features/collections/contract.ts'
import { LazyBoundary } from '#ui/lazy-boundary.tsx'
import { lazyComponent } from '#ui/lazy-component.tsx'

const ShareDialog = lazyComponent(
  () => import('#features/sharing/client/share-dialog/share-dialog.tsx'),
  ({ ShareDialog }) => ShareDialog,
)
const AiRenameDialog = lazyComponent(
  () => import('#features/analysis/client/ai-rename-dialog.tsx'),
  ({ AiRenameDialog }) => AiRenameDialog,
)
const RewriteDialogs = lazyComponent(
  () => import('./rewrite-dialogs.tsx'),
  ({ RewriteDialogs }) => RewriteDialogs,
)

type LazyCollectionDialogsProps = { name: CollectionDialogName; collection: Collection; onClose: () => void }

/** The dialogs of a collection's menu; those of other features load when they are first opened. */
export function LazyCollectionDialogs({ name, ...props }: LazyCollectionDialogsProps) {
  const [copy, setCopy] = useState<Collection>()
  return (
    <LazyBoundary onFailed={props.onClose}>
      {copy && <RewriteDialogs copy={copy} onClose={props.onClose} />}
      {(name === 'share' || name === 'link') && <ShareDialog {...props} isAtLink={name === 'link'} />}
      {name === 'ai-rename' && <AiRenameDialog {...props} />}
      {!copy && name !== 'share' && name !== 'link' && name !== 'ai-rename' && (
        <CollectionDialogs name={name} {...props} onRewrite={setCopy} />
      )}
    </LazyBoundary>
  )
}
