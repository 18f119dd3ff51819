import FolderSearch from 'lucide-react/icons/folder-search'
import { useState } from 'react'
import { useLibraryView } from '#features/media/client/use-library-view.ts'
import { type LibraryFilter, openUnfiltered } from '#features/media/library-view.ts'
import { joinSearch, parseSearch, type SearchFilter, takeFilters } from '#features/media/search-query.ts'
import { Button } from '#ui/button.tsx'
import { LazyBoundary } from '#ui/lazy-boundary.tsx'
import { lazyComponent } from '#ui/lazy-component.tsx'

const SaveSearchDialog = lazyComponent(
  () => import('./dialogs/save-search-dialog.tsx'),
  ({ SaveSearchDialog }) => SaveSearchDialog,
)

/** Saves the search of the library, with the list that it was made in. */
export function SaveSearch({ collectionName }: { collectionName?: string }) {
  const [view, setView] = useLibraryView()
  const [isOpen, setIsOpen] = useState(false)
  const close = () => setIsOpen(false)
  if (view.search.trim() === '' || view.filter === 'trash' || parseSearch(view.search).faults.length > 0) return null
  const { words, filters } = takeFilters(view.search)
  const places = [...listFilters[view.filter], ...(collectionName ? [wanted('in', collectionName)] : [])]
  return (
    <>
      <Button
        variant="quiet"
        size="sm"
        icon={<FolderSearch />}
        onPointerEnter={SaveSearchDialog.preload}
        onClick={() => setIsOpen(true)}
      >
        Save as Smart Collection…
      </Button>
      {isOpen && (
        <LazyBoundary onFailed={close}>
          <SaveSearchDialog
            search={joinSearch(words, [...filters, ...places])}
            onClose={close}
            onSaved={({ id }) => {
              close()
              setView(openUnfiltered(id))
            }}
          />
        </LazyBoundary>
      )}
    </>
  )
}

const wanted = (name: SearchFilter['name'], value: string): SearchFilter => ({ name, value, isExcluded: false })

const listFilters: Record<LibraryFilter, SearchFilter[]> = {
  all: [],
  images: [wanted('type', 'image')],
  videos: [wanted('type', 'video')],
  favorites: [wanted('is', 'favorite')],
  trash: [],
}
