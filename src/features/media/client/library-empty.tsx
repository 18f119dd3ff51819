import Upload from 'lucide-react/icons/upload'
import { Button } from '#ui/button.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { isOfSimilar, type LibraryView } from '../library-view.ts'
import { maxSearchLength, trashDays } from '../limits.ts'
import { parseSearch, printFilter, takeFilters } from '../search-query.ts'
import { withoutFilter } from './filters/filter-chips.tsx'
import { filterLabel } from './filters/filter-labels.ts'

type LibraryEmptyProps = {
  view: LibraryView
  /** Whether the items are those that match the search of a collection. */
  isSmart: boolean
  /** Sentences about filters that name something unknown. */
  notes: readonly string[]
  onAdd: () => void
  onSearch: (search: string) => void
  onLeave: () => void
}

/** Each kind of empty list explains why it is empty and what to do. */
export function LibraryEmpty({ view, isSmart, notes, onAdd, onSearch, onLeave }: LibraryEmptyProps) {
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
  if (view.search) return <NothingFound search={view.search} notes={notes} onSearch={onSearch} />
  if (isSmart)
    return (
      <EmptyState
        drawing="search"
        title="No items match"
        description={[...notes, 'Items that match the search of this smart collection appear here.'].join(' ')}
        action={backToLibrary}
      />
    )
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

/** Says what narrows the search, and offers to remove the filters one by one. */
function NothingFound({ search, notes, onSearch }: Pick<LibraryEmptyProps, 'notes' | 'onSearch'> & { search: string }) {
  const { filters, words } = takeFilters(search)
  const clear = (
    <Button key="clear" onClick={() => onSearch('')}>
      Clear search
    </Button>
  )
  if (filters.length === 0)
    return (
      <EmptyState
        drawing="search"
        title={<NothingMatches words={words} />}
        description="Every word must appear in the name, tags, description or text."
        action={clear}
      />
    )
  const labels = filters.map(filterLabel).join(', ')
  return (
    <EmptyState
      drawing="search"
      title={words ? <NothingMatches words={words} /> : 'No items match these filters'}
      description={
        <>{notes.length > 0 ? notes.join(' ') : <bdi>Filtered by {labels}.</bdi>} Remove a filter to see more.</>
      }
      action={
        <div className="flex flex-wrap justify-center gap-2">
          {filters.map((filter) => (
            <Button key={printFilter(filter)} onClick={() => onSearch(withoutFilter(search, filter))}>
              Remove {filterLabel(filter)}
            </Button>
          ))}
          {clear}
        </div>
      }
    />
  )
}

const NothingMatches = ({ words }: { words: string }) => (
  <>
    Nothing matches "<bdi>{words}</bdi>"
  </>
)

/** The address has a filter that makes no sense. */
export function WrongSearch({ search, onClear }: { search: string; onClear: () => void }) {
  const [fault] = parseSearch(search).faults
  return (
    <EmptyState
      drawing="search"
      title="This search can't be run"
      description={fault?.message ?? `A search can have up to ${maxSearchLength} characters.`}
      action={<Button onClick={onClear}>Clear search</Button>}
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
