import ArrowLeft from 'lucide-react/icons/arrow-left'
import FolderSearch from 'lucide-react/icons/folder-search'
import type { ReactNode } from 'react'
import { Button } from '#ui/button.tsx'
import { classNames } from '#ui/class-names.ts'
import type { Pagination } from '../contract.ts'
import { isOfSimilar, type LibraryView } from '../library-view.ts'
import { trashDays } from '../limits.ts'
import { takeFilters } from '../search-query.ts'

type LibraryHeaderProps = {
  view: LibraryView
  collectionName?: string
  /** Whether the items are those that match the search of the collection. */
  isSmart: boolean
  pagination?: Pagination
  /** True while the count still belongs to the previous search. */
  isOld: boolean
  /** The position of the first item shown in the whole list. */
  firstPosition: number
  /** How many items this page shows. */
  shown: number
  onBack: () => void
  /** Shown next to the title. */
  collectionMenu?: ReactNode
  /** What the items look like, when they are the similar ones. */
  similarTo?: ReactNode
  actions?: ReactNode
}

const titles: Record<LibraryView['filter'], string> = {
  all: 'All Media',
  images: 'Images',
  videos: 'Videos',
  favorites: 'Favorites',
  trash: 'Trash',
}

/** The title of the view, for the page's heading and the browser tab. */
export function viewTitle(view: LibraryView, collectionName?: string) {
  if (isOfSimilar(view)) return 'Similar items'
  return view.collectionId === undefined ? titles[view.filter] : (collectionName ?? 'Collection')
}

export function LibraryHeader(props: LibraryHeaderProps) {
  const {
    view,
    collectionName,
    isSmart,
    pagination,
    isOld,
    firstPosition,
    shown,
    onBack,
    collectionMenu,
    similarTo,
    actions,
  } = props
  const isCollection = view.collectionId !== undefined
  const { words } = takeFilters(view.search)
  return (
    <header className="relative flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
      <div className="min-w-0 max-sm:flex max-sm:w-full max-sm:flex-wrap max-sm:items-center max-sm:justify-between max-sm:gap-x-4">
        {isCollection && (
          <div className="mb-1 flex items-center max-sm:mb-3 max-sm:h-11 max-sm:w-full">
            <Button variant="quiet" size="sm" icon={<ArrowLeft />} onClick={onBack} className="-ml-2">
              All Media
            </Button>
          </div>
        )}
        <div className="flex min-w-0 items-center gap-2">
          {isSmart && <FolderSearch role="img" aria-label="Smart collection" className="size-4 shrink-0 sm:hidden" />}
          <h1 className="truncate font-semibold text-xl max-sm:text-base">{viewTitle(view, collectionName)}</h1>
          {/* On a phone these stand in the row of the button above, so that the name has the whole width. */}
          <div className="contents max-sm:absolute max-sm:top-0 max-sm:right-28 max-sm:flex max-sm:h-11 max-sm:items-center max-sm:gap-1">
            {collectionMenu}
          </div>
          {similarTo}
          {words && (
            <p className="min-w-24 shrink-10000 truncate text-muted">
              Results for "<bdi>{words}</bdi>"
            </p>
          )}
        </div>
        <p
          aria-live="polite"
          aria-atomic="true"
          className={classNames('figures min-h-5 text-muted text-sm transition-opacity', isOld && 'opacity-60')}
        >
          {pagination && shown > 0 && rangeCount(firstPosition, shown, pagination)}
        </p>
        {/* Also shown while the items load, as it would push them down later. */}
        {view.filter === 'trash' && (shown > 0 || !pagination) && (
          <p className="text-muted text-sm">Items here are permanently deleted after {trashDays} days.</p>
        )}
      </div>
      {/* On a phone the only row of controls is the one of the tabs, or in a collection the one of the way back. */}
      <div
        className={classNames(
          'flex flex-wrap items-center gap-2 max-sm:absolute max-sm:-right-2 max-sm:h-10 max-sm:gap-1 max-sm:pointer-coarse:h-11',
          isCollection ? 'max-sm:top-0' : 'max-sm:bottom-[calc(100%+0.75rem)]',
        )}
      >
        {actions}
      </div>
    </header>
  )
}

/** For example "51-100 of 240 items". The wording is the same for a single item: "1-1 of 1 items". */
function rangeCount(first: number, shown: number, { totalCount, isTotalCapped }: Pagination) {
  const total = `${totalCount.toLocaleString('en')}${isTotalCapped ? '+' : ''} items`
  return `${first.toLocaleString('en')}-${(first + shown - 1).toLocaleString('en')} of ${total}`
}
