import Upload from 'lucide-react/icons/upload'
import { Button } from '#ui/button.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { trashDays } from '../contract.ts'
import type { LibraryView } from './library-view.ts'

type LibraryEmptyProps = { view: LibraryView; onAdd: () => void; onClearSearch: () => void; onLeave: () => void }

/** Each kind of nothing says why it is empty and what to do. */
export function LibraryEmpty({ view, onAdd, onClearSearch, onLeave }: LibraryEmptyProps) {
  const backToLibrary = <Button onClick={onLeave}>Back to the library</Button>
  if (view.search) {
    return (
      <EmptyState
        drawing="search"
        title={`Nothing matches "${view.search}"`}
        description="Any part of a name, tag, description or text in a picture is enough; all words must match."
        action={<Button onClick={onClearSearch}>Clear search</Button>}
      />
    )
  }
  if (view.filter === 'trash')
    return (
      <EmptyState
        drawing="tray"
        title={`The trash is empty; what comes here is deleted after ${trashDays} days.`}
        action={backToLibrary}
      />
    )
  if (view.filter === 'favorites')
    return (
      <EmptyState
        drawing="picture"
        title="No favorites yet; the heart on a picture puts it here."
        action={backToLibrary}
      />
    )
  return (
    <EmptyState
      drawing="picture"
      title="No media files yet"
      description={
        view.collectionId === undefined
          ? 'Drop images and videos anywhere on this page, or choose them from your computer.'
          : 'Drop images and videos here, or select media in your library and move them here.'
      }
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
      title="This collection is no longer there"
      description="Media of a deleted collection stay in your library."
      action={<Button onClick={onLeave}>Back to the library</Button>}
    />
  )
}
