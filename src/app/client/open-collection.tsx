import { useQuery } from '@tanstack/react-query'
import FolderSearch from 'lucide-react/icons/folder-search'
import Share2 from 'lucide-react/icons/share-2'
import { useState } from 'react'
import type { CollectionDialogName } from '#features/collections/client/collection-dialogs.tsx'
import { CollectionMenu } from '#features/collections/client/collection-menu.tsx'
import { PublicBadge } from '#features/collections/client/public-badge.tsx'
import { collectionQueries } from '#features/collections/client/queries.ts'
import { useLibraryView } from '#features/media/client/use-library-view.ts'
import { hasOwnOrder } from '#features/media/library-view.ts'
import { Button } from '#ui/button.tsx'
import { IconButton } from '#ui/icon-button.tsx'
import { LazyCollectionDialogs } from './lazy-collection-dialogs.tsx'

/** The public badge, Share and the menu next to the title of the collection that the library shows. */
export function OpenCollection({ collectionId }: { collectionId: number }) {
  const [view, setView] = useLibraryView()
  const { data: collection } = useQuery(collectionQueries.one(collectionId))
  const [dialog, setDialog] = useState<CollectionDialogName>()
  if (!collection) return null

  function open(name: CollectionDialogName) {
    // Arranging items by hand also shows them in that order.
    if (name === 'arrange' && collection?.query === null && hasOwnOrder(view))
      setView({ sort: 'manual' }, { replace: true })
    setDialog(name)
  }

  return (
    <>
      {collection.query !== null && (
        <IconButton
          size="sm"
          icon={<FolderSearch />}
          label={`Smart collection. Edit search: ${collection.query}`}
          // On a phone the icon stands at the name, and the search is in the menu.
          className="max-sm:hidden"
          onClick={() => open('edit-search')}
        />
      )}
      {collection.isPublic && <PublicBadge />}
      <Button size="sm" icon={<Share2 />} onClick={() => open('link')} className="max-sm:w-9 max-sm:px-0">
        <span className="max-sm:sr-only">Share</span>
      </Button>
      <CollectionMenu collection={collection} onDialog={open} />
      {dialog && <LazyCollectionDialogs name={dialog} collection={collection} onClose={() => setDialog(undefined)} />}
    </>
  )
}
