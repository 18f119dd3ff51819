import { useQuery } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { useUser } from '#features/auth/client/queries.ts'
import type { BulkDialogName } from '#features/bulk-actions/client/bulk-dialogs.tsx'
import { RecentUploadsButton } from '#features/bulk-actions/client/recent-uploads-button.tsx'
import { CollectionMatches } from '#features/collections/client/collection-matches.tsx'
import { useRemoveFromCollection } from '#features/collections/client/mutations.ts'
import { collectionQueries } from '#features/collections/client/queries.ts'
import type { CollectionSummary } from '#features/collections/contract.ts'
import { FirstStepsSpace } from '#features/first-steps/client/first-steps-space.tsx'
import { areStepsClosed } from '#features/first-steps/steps.ts'
import type { Carried } from '#features/media/client/carried-items.ts'
import { viewTitle } from '#features/media/client/library-header.tsx'
import { LibraryPage } from '#features/media/client/library-page.tsx'
import { type Selection, useSelection } from '#features/media/client/selection.ts'
import { type LibraryItems, useLibraryItems } from '#features/media/client/use-library-items.ts'
import { closeItem, useLibraryView } from '#features/media/client/use-library-view.ts'
import type { Media } from '#features/media/contract.ts'
import { defaultView, isOfSimilar, type LibraryView, openList, placeOf } from '#features/media/library-view.ts'
import { takeFilters } from '#features/media/search-query.ts'
import { openUpload } from '#features/upload/client/upload-store.ts'
import { classNames } from '#ui/class-names.ts'
import { LazyBoundary } from '#ui/lazy-boundary.tsx'
import { LazyFallback, lazyComponent } from '#ui/lazy-component.tsx'
import { Spinner } from '#ui/spinner.tsx'
import { Tab, TabList, TabPanel, Tabs } from '#ui/tabs.tsx'
import { LazyViewer } from './lazy-viewer.tsx'
import { useLibraryTitle } from './page-title.ts'

const CollectionsScreen = lazyComponent(
  () => import('./collections-screen.tsx'),
  ({ CollectionsScreen }) => CollectionsScreen,
)
const OpenCollection = lazyComponent(
  () => import('./open-collection.tsx'),
  ({ OpenCollection }) => OpenCollection,
)
const SelectionBar = lazyComponent(
  () => import('#features/bulk-actions/client/selection-bar.tsx'),
  ({ SelectionBar }) => SelectionBar,
)
const CarriedItemsLayer = lazyComponent(
  () => import('#features/bulk-actions/client/carried-items-layer.tsx'),
  ({ CarriedItemsLayer }) => CarriedItemsLayer,
)
const BulkDialogs = lazyComponent(
  () => import('#features/bulk-actions/client/bulk-dialogs.tsx'),
  ({ BulkDialogs }) => BulkDialogs,
)

const SaveSearch = lazyComponent(
  () => import('#features/collections/client/save-search.tsx'),
  ({ SaveSearch }) => SaveSearch,
)
const FirstSteps = lazyComponent(
  () => import('#features/first-steps/client/first-steps.tsx'),
  ({ FirstSteps }) => FirstSteps,
)
const CopyDialog = lazyComponent(
  () => import('#features/delivery/client/copy-dialog.tsx'),
  ({ CopyDialog }) => CopyDialog,
)
const AiTagDialog = lazyComponent(
  () => import('#features/analysis/client/ai-tag-dialog.tsx'),
  ({ AiTagDialog }) => AiTagDialog,
)
const AltTextsDialog = lazyComponent(
  () => import('#features/analysis/client/alt-texts-dialog.tsx'),
  ({ AltTextsDialog }) => AltTextsDialog,
)

const SimilarTo = lazyComponent(
  () => import('#features/analysis/client/similar-to.tsx'),
  ({ SimilarTo }) => SimilarTo,
)

/** `selection`: when the items are the selected ones, not a single card. */
type OpenDialog = { name: BulkDialogName; mediaIds: readonly number[]; selection?: Selection }

/** The library with what other features bring to it: collections, bulk actions, the viewer. */
export function LibraryScreen() {
  const [view, setView] = useLibraryView()
  const { data: collections } = useQuery(collectionQueries.summaries())
  const [dialog, setDialog] = useState<OpenDialog>()
  const collection = collections?.find(({ id }) => id === view.collectionId)
  const collectionName = collection?.name
  useLibraryTitle(view.tab === 'collections' ? 'Collections' : viewTitle(view, collectionName))
  const [carried, setCarried] = useState<Carried>()
  const [copied, setCopied] = useState<Media>()
  const stopCopying = () => setCopied(undefined)
  const closeDialog = () => setDialog(undefined)
  const stopCarrying = useCallback(() => setCarried(undefined), [])

  function finishDialog(failedIds: readonly number[]) {
    closeDialog()
    if (dialog?.selection) deselectDone(dialog.selection, dialog.mediaIds, failedIds)
  }

  return (
    <Tabs
      value={view.tab}
      onValueChange={(tab) => setView({ tab: tab === 'collections' ? 'collections' : 'media' })}
      className="px-4 pt-1 pb-10 sm:px-6"
    >
      <TabList label="Library" className={classNames('mb-5 max-sm:mb-3', roomForActions(view))}>
        <Tab value="media">Media Library</Tab>
        <Tab value="collections">
          <span className="max-sm:hidden">Collections</span>
          <span className="sm:hidden">Folders</span>
        </Tab>
      </TabList>
      <TabPanel value="media">
        <MediaTab collection={collection} onOpenDialog={setDialog} onCarry={setCarried} onCopyForWebsite={setCopied} />
      </TabPanel>
      <TabPanel value="collections">
        <LazyFallback show={<Spinner label="Loading collections" />}>
          <CollectionsScreen />
        </LazyFallback>
      </TabPanel>
      {carried && (
        <LazyBoundary onFailed={stopCarrying}>
          <CarriedItemsLayer
            key={carried.begunAt}
            {...carried}
            onCancel={stopCarrying}
            onMoved={(failedIds) => {
              stopCarrying()
              if (carried.selection.isActive) deselectDone(carried.selection, carried.mediaIds, failedIds)
            }}
          />
        </LazyBoundary>
      )}
      {copied && (
        <LazyBoundary onFailed={stopCopying}>
          <CopyDialog media={copied} onClose={stopCopying} />
        </LazyBoundary>
      )}
      {dialog && (
        <LazyBoundary onFailed={closeDialog}>
          {dialog.name === 'ai-tag' ? (
            <AiTagDialog mediaIds={dialog.mediaIds} onClose={closeDialog} onDone={finishDialog} />
          ) : dialog.name === 'alt-texts' ? (
            <AltTextsDialog
              mediaIds={dialog.mediaIds}
              websiteId={collection?.websiteId ?? undefined}
              onClose={closeDialog}
              onDone={finishDialog}
            />
          ) : (
            <BulkDialogs name={dialog.name} mediaIds={dialog.mediaIds} onClose={closeDialog} onDone={finishDialog} />
          )}
        </LazyBoundary>
      )}
    </Tabs>
  )
}

type MediaTabProps = {
  collection?: CollectionSummary
  onOpenDialog: (dialog: OpenDialog) => void
  onCarry: (carried: Carried) => void
  onCopyForWebsite: (media: Media) => void
}

/** The items, with the bar of the selection and the viewer. */
function MediaTab({ collection, onOpenDialog, onCarry, onCopyForWebsite }: MediaTabProps) {
  const [view, setView] = useLibraryView()
  const items = useLibraryItems(view)
  const selection = useSelection(placeOf(view))
  const removeFromCollection = useRemoveFromCollection()
  const moveOne = useCallback(({ id }: Media) => onOpenDialog({ name: 'move', mediaIds: [id] }), [onOpenDialog])
  const { collectionId, itemId } = view
  const isSmart = typeof collection?.query === 'string'
  const { words } = takeFilters(view.search)
  const preferences = useUser()?.preferences
  const hasFirstSteps = preferences && !areStepsClosed(preferences) && isWholeLibrary(view)
  return (
    <>
      <LibraryPage
        items={items}
        selection={selection}
        collectionName={collection?.name}
        isSmart={isSmart}
        onAdd={() => openUpload()}
        onMove={moveOne}
        onCopyForWebsite={onCopyForWebsite}
        onCarry={onCarry}
        onRemoveFromCollection={
          collectionId === undefined
            ? undefined
            : ({ id }) => removeFromCollection.mutate({ collectionId, mediaId: id })
        }
        collectionMenu={
          collectionId !== undefined && (
            <LazyBoundary key={collectionId}>
              <OpenCollection collectionId={collectionId} />
            </LazyBoundary>
          )
        }
        similarTo={
          isOfSimilar(view) && (
            <LazyBoundary>
              <SimilarTo {...view} onClear={() => setView(openList({ filter: 'all' }))} />
            </LazyBoundary>
          )
        }
        saveSearch={
          view.search !== '' && (
            <LazyBoundary>
              <SaveSearch collectionName={collection?.name} />
            </LazyBoundary>
          )
        }
        collectionMatches={words !== '' && collectionId === undefined && <CollectionMatches search={words} />}
        firstSteps={hasFirstSteps && <LibraryFirstSteps items={items} />}
        selectors={
          view.filter !== 'trash' &&
          !isOfSimilar(view) && <RecentUploadsButton key={placeOf(view)} selection={selection} view={view} />
        }
      />
      {selection.isActive && (
        <LazyBoundary onFailed={selection.stop}>
          <SelectionBar
            selection={selection}
            view={view}
            isSmart={isSmart}
            page={items.all}
            totalCount={items.totalCount}
            onOpenDialog={(name) => onOpenDialog({ name, mediaIds: [...selection.ids], selection })}
          />
        </LazyBoundary>
      )}
      {itemId !== undefined && (
        <LazyViewer
          mediaId={itemId}
          page={items.media}
          view={view}
          onNavigate={(place) => setView(place, { replace: true })}
          onClose={closeItem}
        />
      )}
    </>
  )
}

/** On a phone the library's buttons stand to the right of the tabs; in a collection the way back takes the place of the tabs. */
function roomForActions({ tab, collectionId, filter }: LibraryView) {
  if (tab === 'collections') return undefined
  if (collectionId !== undefined) return 'max-sm:hidden'
  return filter === 'trash' ? 'max-sm:pr-40' : 'max-sm:pr-30'
}

const isWholeLibrary = (view: LibraryView) => placeOf(view) === placeOf(defaultView) && !view.search

function LibraryFirstSteps({ items: { isLoading, media } }: { items: LibraryItems }) {
  return (
    <LazyBoundary>
      <LazyFallback show={<FirstStepsSpace />}>
        <FirstSteps hasItems={isLoading ? undefined : media.length > 0} />
      </LazyFallback>
    </LazyBoundary>
  )
}

/** Failed items stay selected, so that the same action retries them. Items deselected meanwhile are not selected again. */
function deselectDone(selection: Selection, mediaIds: readonly number[], failedIds: readonly number[]) {
  const failed = new Set(failedIds)
  selection.deselect(mediaIds.filter((id) => !failed.has(id)))
}
