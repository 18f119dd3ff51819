import { type ReactNode, useCallback, useEffect, useState } from 'react'
import { ApiError, failureReason } from '#platform/client/call.ts'
import { classNames } from '#ui/class-names.ts'
import { useCommand } from '#ui/commands/use-command.ts'
import { useHotkey } from '#ui/keys/use-hotkey.ts'
import { useBackKey } from '#ui/layers/use-escape.ts'
import { LazyBoundary } from '#ui/lazy-boundary.tsx'
import { lazyComponent, useIsLoading } from '#ui/lazy-component.tsx'
import { LoadFailure } from '#ui/load-failure.tsx'
import type { Media } from '../contract.ts'
import { hasOwnOrder, isOfSimilar, openList } from '../library-view.ts'
import { takeFilters } from '../search-query.ts'
import type { Carried } from './carried-items.ts'
import { DragSelect } from './drag-select.tsx'
import { FilterChips } from './filters/filter-chips.tsx'
import { useFirstResult } from './first-result.ts'
import { libraryCommands } from './library-commands.ts'
import { LibraryHeader } from './library-header.tsx'
import { LibraryPagination } from './library-pagination.tsx'
import { LibraryToolbar } from './library-toolbar.tsx'
import { MediaGrid, MediaSkeleton } from './media-grid.tsx'
import { dateKindOf, groupByMonth } from './months/month-groups.ts'
import { useMoveToTrash } from './mutations.ts'
import type { ItemActions } from './press-item.ts'
import type { Selection } from './selection.ts'
import type { LibraryItems } from './use-library-items.ts'
import { useLibraryView } from './use-library-view.ts'

// Dialogs are rarely used, so they are loaded with the first one that opens or can open.
const DeleteDialog = lazyComponent(
  () => import('./delete-dialog.tsx'),
  ({ DeleteDialog }) => DeleteDialog,
)
const MediaList = lazyComponent(
  () => import('./media-list.tsx'),
  ({ MediaList }) => MediaList,
)
const LibraryEmpty = lazyComponent(
  () => import('./library-empty.tsx'),
  ({ LibraryEmpty }) => LibraryEmpty,
)
const CollectionGone = lazyComponent(
  () => import('./library-empty.tsx'),
  ({ CollectionGone }) => CollectionGone,
)
const MonthScrubber = lazyComponent(
  () => import('./months/month-scrubber.tsx'),
  ({ MonthScrubber }) => MonthScrubber,
)
const WrongSearch = lazyComponent(
  () => import('./library-empty.tsx'),
  ({ WrongSearch }) => WrongSearch,
)
const EmptyTrash = lazyComponent(
  () => import('./empty-trash.tsx'),
  ({ EmptyTrash }) => EmptyTrash,
)

type LibraryPageProps = {
  items: LibraryItems
  selection: Selection
  /** The name of the current collection, if any. */
  collectionName?: string
  /** Whether its items are those that match a search. */
  isSmart?: boolean
  onAdd: () => void
  onMove: (media: Media) => void
  onCopyForWebsite: (media: Media) => void
  /** Called when items start to be dragged. */
  onCarry: (carried: Carried) => void
  onRemoveFromCollection: ItemActions['onRemoveFromCollection']
  /** Actions for the current collection, next to its name. */
  collectionMenu?: ReactNode
  /** What the items look like, when they are the similar ones. */
  similarTo?: ReactNode
  /** The collections whose names match the search. */
  collectionMatches?: ReactNode
  /** Saves the search, next to its filters. */
  saveSearch?: ReactNode
  /** Shown above the items of a new library. */
  firstSteps?: ReactNode
  /** Additional buttons that start select mode. */
  selectors?: ReactNode
}

export function LibraryPage({
  items,
  selection,
  collectionName,
  isSmart = false,
  onAdd,
  onMove,
  onCopyForWebsite,
  onCarry,
  onRemoveFromCollection,
  collectionMenu,
  similarTo,
  collectionMatches,
  saveSearch,
  firstSteps,
  selectors,
}: LibraryPageProps) {
  const [view, setView] = useLibraryView()
  const { data, pagination, media, matches, near, all, totalCount, lastPage, isPastEnd, isPlaceholderData } = items
  const { isLoading, isCollectionGone, error, refetch } = items
  const isWrongSearch = !data && error instanceof ApiError && error.status === 400 && view.search !== ''
  const isListMissing = useIsLoading(MediaList, view.layout === 'list')
  const [deleting, setDeleting] = useState<Media>()
  const moveToTrash = useMoveToTrash()

  // If the last item of the last page was deleted, the previous page becomes the last.
  useEffect(() => {
    if (isPastEnd) setView({ page: lastPage }, { replace: true })
  }, [isPastEnd, lastPage, setView])

  useCommand(libraryCommands.deselect, selection.stop, { isEnabled: selection.isActive })
  useBackKey(selection.isActive, selection.stop)
  useCommand(libraryCommands.selectPage, () => selection.add(all.map(({ id }) => id)))
  useHotkey(libraryCommands.trash.hotkey, () => {
    const ids = selection.isActive ? [...selection.ids] : focusedItem()
    if (ids.length > 0 && view.filter !== 'trash') moveToTrash.mutate(ids, { onSuccess: () => selection.deselect(ids) })
  })

  useHotkey(libraryCommands.toggle.hotkey, () => {
    for (const id of focusedItem()) toggle(id, pageIdList())
  })
  useFirstResult(data && !isPlaceholderData ? view.search : undefined)

  const { toggle } = selection
  const open = useCallback(({ id }: Media) => setView({ itemId: id }), [setView])
  const pageIds = media.map(({ id }) => id).join()
  const pageIdList = useCallback(() => pageIds.split(',').map(Number), [pageIds])
  const toggleItem = useCallback(
    ({ id }: Media, isRange: boolean) => toggle(id, pageIdList(), isRange),
    [pageIdList, toggle],
  )
  const keys = {
    onOpen: selection.isActive ? (id: number) => setView({ itemId: id }) : undefined,
    onExtend: (from: number, to: number) => selection.extend(from, to, pageIdList()),
  }
  const actions: ItemActions = {
    onOpen: open,
    onToggle: toggleItem,
    onMove,
    onDelete: setDeleting,
    onCopyForWebsite,
    onRemoveFromCollection,
    isSmart,
  }
  const dateKind = dateKindOf(view)
  // A short list of one month needs no heading.
  const hasMonths = dateKind && (lastPage > 1 || groupByMonth(matches, dateKind).length > 1)
  const months = hasMonths ? dateKind : undefined
  const cards = { isSelecting: selection.isActive, selectedIds: selection.ids, ...actions }
  const places = data && {
    firstPosition: data.firstPosition,
    count: pagination?.isTotalCapped ? -1 : totalCount,
    onAdd: view.filter === 'trash' || view.search || isSmart || isOfSimilar(view) ? undefined : onAdd,
  }
  const renderItems = (shown: readonly Media[], ofGrid?: typeof places) =>
    view.layout === 'grid' ? (
      <MediaGrid {...cards} {...ofGrid} media={shown} months={ofGrid && months} inCollection={view.collectionId} />
    ) : (
      <MediaList {...cards} media={shown} months={ofGrid && months} />
    )

  return (
    <div className={classNames('space-y-5 max-sm:space-y-3', selection.isActive && 'pb-24')}>
      <LibraryHeader
        view={view}
        collectionName={collectionName}
        isSmart={isSmart}
        pagination={isLoading ? undefined : pagination}
        isOld={isPlaceholderData}
        firstPosition={data?.firstPosition ?? 1}
        shown={matches.length}
        onBack={() => setView({ collectionId: undefined })}
        collectionMenu={!isCollectionGone && collectionMenu}
        similarTo={similarTo}
        actions={
          <>
            {/* Also shown while loading, as the surrounding content would jump. */}
            {(isLoading || media.length > 0) && (
              <>
                {/* It deletes the whole trash, so it is hidden while a search shows only part of it. */}
                {view.filter === 'trash' && !view.search && (
                  <LazyBoundary>
                    <EmptyTrash count={isLoading || isPlaceholderData ? undefined : totalCount} />
                  </LazyBoundary>
                )}
                {selectors}
              </>
            )}
            <LibraryToolbar
              view={view}
              hasManualOrder={!isSmart && hasOwnOrder(view)}
              onViewChange={setView}
              canSelect={isLoading || media.length > 0}
              isSelecting={selection.isActive}
              onSelectingChange={(isSelecting) => (isSelecting ? selection.start() : selection.stop())}
            />
          </>
        }
      />
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-2 empty:hidden">
        <FilterChips search={view.search} onViewChange={setView} />
        {saveSearch}
      </div>
      {view.page === 1 && firstSteps}
      {view.page === 1 && collectionMatches}
      {isCollectionGone && (
        <LazyBoundary>
          <CollectionGone onLeave={() => setView({ collectionId: undefined })} />
        </LazyBoundary>
      )}
      {isWrongSearch && (
        <LazyBoundary>
          <WrongSearch search={view.search} onClear={() => setView({ search: '' })} />
        </LazyBoundary>
      )}
      {error && !data && !isCollectionGone && !isWrongSearch && (
        <LoadFailure what="your library" why={failureReason(error)} onRetry={() => void refetch()} />
      )}
      {(isLoading || (isListMissing && media.length > 0)) && <MediaSkeleton layout={view.layout} />}
      {data && !isLoading && media.length === 0 && (
        <LazyBoundary>
          <LibraryEmpty
            view={view}
            isSmart={isSmart}
            notes={data.notes}
            onAdd={onAdd}
            onSearch={(search) => setView({ search })}
            onLeave={() => setView(openList({ filter: 'all' }))}
          />
        </LazyBoundary>
      )}
      {media.length > 0 && !isListMissing && (
        <>
          {months && lastPage > 1 && (
            <LazyBoundary>
              <MonthScrubber view={view} kind={months} isPageShown={!isPlaceholderData} onViewChange={setView} />
            </LazyBoundary>
          )}
          <DragSelect
            selection={selection}
            keys={keys}
            onCarry={
              view.filter === 'trash'
                ? undefined
                : (mediaIds, from) => onCarry({ mediaIds, from, begunAt: performance.now(), selection })
            }
            className={classNames(
              // Includes the margin around the cards, so that a rectangle can start there.
              '-mx-4 -mt-4 mb-1 select-none p-4 transition-opacity [-webkit-touch-callout:none] sm:-mx-6 sm:px-6',
              isPlaceholderData && 'opacity-60',
            )}
          >
            {matches.length > 0 && renderItems(matches, places)}
            {near.length > 0 && (
              <>
                <h2 className="mb-3 text-muted text-sm not-first:mt-8">
                  {matches.length === 0 && !isPlaceholderData ? (
                    <>
                      Nothing matches "<bdi>{takeFilters(view.search).words}</bdi>". Similar results:
                    </>
                  ) : (
                    'Similar results'
                  )}
                </h2>
                {renderItems(near)}
              </>
            )}
          </DragSelect>
          <LibraryPagination view={view} onViewChange={setView} pageCount={lastPage} />
        </>
      )}
      {deleting && (
        <LazyBoundary onFailed={() => setDeleting(undefined)}>
          <DeleteDialog media={deleting} onClose={() => setDeleting(undefined)} />
        </LazyBoundary>
      )}
    </div>
  )
}

/** The item whose card has the focus, for the Delete key. */
function focusedItem() {
  const card = document.activeElement?.closest<HTMLElement>('[data-media-id]')
  return card ? [Number(card.dataset.mediaId)] : []
}
