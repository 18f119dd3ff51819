import Upload from 'lucide-react/icons/upload'
import { Button } from '#ui/button.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { isOfSimilar, type LibraryView } from '../library-view.ts'
import { trashDays } from '../limits.ts'

type LibraryEmptyProps = { view: LibraryView; onAdd: () => void; onClearSearch: () => void; onLeave: () => void }

/** Each kind of empty list explains why it is empty and what to do. */
export function LibraryEmpty({ view, onAdd, onClearSearch, onLeave }: LibraryEmptyProps) {
  const backToLibrary = <Button onClick={onLeave}>Back to the library</Button>
  if (isOfSimilar(view))
    return (
      <EmptyState
        drawing="search"
        title="No similar items"
        description="Items are compared once the built-in AI has analyzed them."
        action={backToLibrary}
      />
    )
  if (view.search) {
    return (
      <EmptyState
        drawing="search"
        title={
          <>
            Nothing matches "<bdi>{view.search}</bdi>"
          </>
        }
        description="Every word must appear in the name, tags, description or text."
        action={<Button onClick={onClearSearch}>Clear search</Button>}
      />
    )
  }
  if (view.filter === 'trash')
    return (
      <EmptyState
        drawing="tray"
        title="Trash is empty"
        description={`Items here are permanently deleted after ${trashDays} days.`}
        action={backToLibrary}
      />
    )
  if (view.filter === 'favorites')
    return (
      <EmptyState
        drawing="picture"
        title="No favorites yet"
        description="Tap the heart on an item to add it here."
        action={backToLibrary}
      />
    )
  // Dropping files requires a mouse.
  const isTouched = window.matchMedia('(pointer: coarse)').matches
  // The library may be empty only for this kind of item.
  const kind = view.filter === 'all' ? undefined : view.filter
  const files = kind ?? 'images and videos'
  const inLibrary = isTouched
    ? `Choose ${files} from this device.`
    : `Drop ${files} anywhere on this page, or choose them from your computer.`
  const inCollection = `${isTouched ? 'Upload images and videos' : 'Drop images and videos here'}, or add items from your library.`
  return (
    <EmptyState
      drawing="picture"
      title={`No ${kind ?? 'media files'} yet`}
      description={view.collectionId === undefined ? inLibrary : inCollection}
      action={
        <Button icon={<Upload />} onClick={onAdd}>
          Upload Media
        </Button>
      }
    />
  )
}

export function CollectionGone({ onLeave }: { onLeave: () => void }) {
  return (
    <EmptyState
      drawing="folder"
      title="This collection no longer exists"
      description="Its items are still in your library."
      action={<Button onClick={onLeave}>Back to the library</Button>}
    />
  )
}
