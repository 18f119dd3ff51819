import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useCallback, useEffect, useState } from 'react'
import { failureReason } from '#platform/client/call.ts'
import { classNames } from '#ui/class-names.ts'
import { useHotkey } from '#ui/keys/use-hotkey.ts'
import { useBackKey } from '#ui/layers/use-escape.ts'
import { LazyBoundary } from '#ui/lazy-boundary.tsx'
import { lazyComponent, useIsLoading } from '#ui/lazy-component.tsx'
import { LoadFailure } from '#ui/load-failure.tsx'
import type { Media } from '../contract.ts'
import { type LibraryView, placeOf } from '../library-view.ts'
import type { Carried } from './carried-items.ts'
import { DragSelect } from './drag-select.tsx'
import { CollectionGone, LibraryEmpty } from './library-empty.tsx'
import { LibraryHeader } from './library-header.tsx'
import { LibraryPagination } from './library-pagination.tsx'
import { LibraryToolbar } from './library-toolbar.tsx'
import { MediaGrid, MediaSkeleton } from './media-grid.tsx'
import { useMoveToTrash } from './mutations.ts'
import type { ItemActions } from './press-item.ts'
import { isGone, mediaQueries } from './queries.ts'
import { type Selection, useSelection } from './selection.ts'
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
const EmptyTrash = lazyComponent(
  () => import('./empty-trash.tsx'),
  ({ EmptyTrash }) => EmptyTrash,
)

type LibraryPageProps = {
  /** The name of the current collection, if any. */
  collectionName?: string
  onAdd: () => void
  onMove: (media: Media) => void
  /** Called when items start to be dragged. */
  onCarry: (carried: Carried) => void
  onRemoveFromCollection: ItemActions['onRemoveFromCollection']
  /** The action bar of the selection. */
  renderSelectionBar: (
    selection: Selection,
    context: { view: LibraryView; page: readonly Media[]; totalCount: number },
  ) => ReactNode
  /** Actions for the current collection, next to its name. */
  collectionMenu?: ReactNode
  /** Additional buttons that start select mode. */
  renderSelectors: (selection: Selection) => ReactNode
  renderViewer: (mediaId: number, page: readonly Media[]) => ReactNode
}

export function LibraryPage({
  collectionName,
  onAdd,
  onMove,
  onCarry,
  onRemoveFromCollection,
  collectionMenu,
  renderSelectionBar,
  renderSelectors,
  renderViewer,
}: LibraryPageProps) {
  const [view, setView] = useLibraryView()
  const { data: found, error, isPending, isPlaceholderData, refetch } = useQuery(mediaQueries.page(view))
  const isListMissing = useIsLoading(MediaList, view.layout === 'list')
  const selection = useSelection(placeOf(view))
  const [deleting, setDeleting] = useState<Media>()
  const moveToTrash = useMoveToTrash()
  // A deleted collection must not keep showing its cached items.
  const isCollectionGone = view.collectionId !== undefined && isGone(error)
  const data = isCollectionGone ? undefined : found
  const media = data?.media ?? []
  const matchCount = media.length - (data?.nearCount ?? 0)
  const matches = media.slice(0, matchCount)
  const near = media.slice(matchCount)
  /** What "select all" selects: the matches, or the similar results if nothing matches. */
  const all = matchCount > 0 ? matches : media
  const totalCount = data?.pagination.totalCount ?? 0
  const lastPage = data?.pagination.totalPages ?? view.page
  const isPastEnd = !isPlaceholderData && view.page > lastPage
  // An empty placeholder of another page or search does not mean that this list is empty.
  const isLoading = isPending || (media.length === 0 && (isPlaceholderData || isPastEnd))

  // If the last item of the last page was deleted, the previous page becomes the last.
  useEffect(() => {
    if (isPastEnd) setView({ page: lastPage }, { replace: true })
  }, [isPastEnd, lastPage, setView])

  useHotkey('Escape', selection.stop, { isEnabled: selection.isActive })
  useBackKey(selection.isActive, selection.stop)
  useHotkey('mod+a', () => selection.add(all.map(({ id }) => id)))
  useHotkey('Delete', () => {
    const ids = selection.isActive ? [...selection.ids] : focusedItem()
    if (ids.length > 0 && view.filter !== 'trash') moveToTrash.mutate(ids, { onSuccess: () => selection.deselect(ids) })
  })

  const { toggle } = selection
  const open = useCallback(({ id }: Media) => setView({ itemId: id }), [setView])
  const pageIds = media.map(({ id }) => id).join()
  const toggleItem = useCallback(
    ({ id }: Media, isRange: boolean) => toggle(id, pageIds.split(',').map(Number), isRange),
    [pageIds, toggle],
  )
  const actions: ItemActions = {
    onOpen: open,
    onToggle: toggleItem,
    onMove,
    onDelete: setDeleting,
    onRemoveFromCollection,
  }
  const items = { isSelecting: selection.isActive, selectedIds: selection.ids, ...actions }
  const places = data && {
    firstPosition: data.firstPosition,
    count: data.pagination.isTotalCapped ? -1 : totalCount,
    onAdd: view.filter === 'trash' ? undefined : onAdd,
  }
  const renderItems = (shown: readonly Media[], ofGrid?: typeof places) =>
    view.layout === 'grid' ? <MediaGrid {...items} {...ofGrid} media={shown} /> : <MediaList {...items} media={shown} />

  return (
    <div className={classNames('space-y-5', selection.isActive && 'pb-24')}>
      <LibraryHeader
        view={view}
        collectionName={collectionName}
        pagination={isLoading ? undefined : data?.pagination}
        isOld={isPlaceholderData}
        firstPosition={data?.firstPosition ?? 1}
        shown={matchCount}
        onBack={() => setView({ collectionId: undefined })}
        collectionMenu={!isCollectionGone && collectionMenu}
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
                {renderSelectors(selection)}
              </>
            )}
            <LibraryToolbar
              view={view}
              onViewChange={setView}
              isSelecting={selection.isActive}
              onSelectingChange={(isSelecting) => (isSelecting ? selection.start() : selection.stop())}
            />
          </>
        }
      />
      {isCollectionGone && <CollectionGone onLeave={() => setView({ collectionId: undefined })} />}
      {error && !data && !isCollectionGone && (
        <LoadFailure what="your library" why={failureReason(error)} onRetry={() => void refetch()} />
      )}
      {(isLoading || (isListMissing && media.length > 0)) && <MediaSkeleton layout={view.layout} />}
      {data && !isLoading && media.length === 0 && (
        <LibraryEmpty
          view={view}
          onAdd={onAdd}
          onClearSearch={() => setView({ search: '' })}
          onLeave={() => setView({ filter: 'all' })}
        />
      )}
      {media.length > 0 && !isListMissing && (
        <>
          <DragSelect
            selection={selection}
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
            {matchCount > 0 && renderItems(matches, places)}
            {near.length > 0 && (
              <>
                <h2 className="mb-3 text-muted text-sm not-first:mt-8">
                  {matchCount === 0 && !isPlaceholderData ? (
                    <>
                      Nothing matches “<bdi>{view.search}</bdi>”. Similar results:
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
      {selection.isActive && renderSelectionBar(selection, { view, page: all, totalCount })}
      {view.itemId !== undefined && renderViewer(view.itemId, media)}
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
