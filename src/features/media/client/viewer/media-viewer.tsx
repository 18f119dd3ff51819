import { useQuery } from '@tanstack/react-query'
import { type ComponentType, useState } from 'react'
import { classNames } from '#ui/class-names.ts'
import { useCommand } from '#ui/commands/use-command.ts'
import { ConfirmDialog } from '#ui/layers/confirm-dialog.tsx'
import { Modal } from '#ui/layers/modal.tsx'
import { LazyBoundary } from '#ui/lazy-boundary.tsx'
import { lazyComponent } from '#ui/lazy-component.tsx'
import { useDebouncedValue } from '#ui/use-debounced-value.ts'
import type { Media, ViewedMedia } from '../../contract.ts'
import type { LibraryView } from '../../library-view.ts'
import { DeleteDialog } from '../delete-dialog.tsx'
import { libraryCommands } from '../library-commands.ts'
import { useFavorite, useMoveToTrash } from '../mutations.ts'
import { isGone, mediaQueries } from '../queries.ts'
import { spokenTextOf } from '../spoken-text.ts'
import { EditForm, type FocalFieldType } from './edit-form.tsx'
import { Filmstrip } from './filmstrip.tsx'
import { InfoPanel } from './info-panel.tsx'
import { usePanel } from './panel-open.ts'
import { useEdgeToEdge } from './use-edge-to-edge.ts'
import { useEditing } from './use-editing.ts'
import { useNeighbors } from './use-neighbors.ts'
import { useSeries } from './use-series.ts'
import { useSlideshow } from './use-slideshow.ts'
import { ViewerBar } from './viewer-bar.tsx'
import { viewerCommands } from './viewer-commands.ts'
import { ViewerStage } from './viewer-stage.tsx'

const KeysDialog = lazyComponent(
  () => import('../keys-dialog.tsx'),
  ({ KeysDialog }) => KeysDialog,
)

/**
 * The interval while an arrow key is held. Each step changes the URL, and browsers allow 200 changes in ten seconds (Safari
 * 100). Beyond that Firefox and Safari throw, and Chromium ignores the change.
 */
const turnMs = 110
/** Longer than the key interval: details are loaded only for items on which the user stops. */
const restMs = 250

/** An item and the list page that contains it. */
type ItemPlace = { itemId: number; page?: number }

type Findings = ComponentType<{
  media: ViewedMedia
  isSettled: boolean
  onSelect: (itemId: number, similar: readonly Media[]) => void
}>

type FileSection = ComponentType<{ media: Media; isSettled: boolean; onEdit: () => void }>

type ItemDialog = ComponentType<{ media: Media; onClose: () => void }>

type MediaViewerProps = {
  mediaId: number
  /** The items of the list from which it was opened. */
  page: readonly Media[]
  /** The full list, if `page` is only one page of it. */
  view?: LibraryView
  onNavigate: (to: ItemPlace) => void
  onClose: () => void
  /** Passed in, because the features for conversion, moving and analysis depend on this one. */
  ConvertDialog: ItemDialog
  RemoveBackgroundDialog: ItemDialog
  MoveDialog: ItemDialog
  CopyDialog: ItemDialog
  FocalField: FocalFieldType
  PictureEditor: ItemDialog
  FileSection: FileSection
  /** Takes a file that is dropped on the item. */
  FileDrop: ComponentType<{ media: Media }>
  Findings: Findings
  /** Opens a similar item; `series` are the item it is similar to and all similar ones. */
  onSelectSimilar: (itemId: number, series: readonly Media[]) => void
}

/** Shows one item full-screen, with its details and actions. */
export function MediaViewer(props: MediaViewerProps) {
  const {
    mediaId,
    page,
    view,
    onNavigate,
    onClose,
    ConvertDialog,
    RemoveBackgroundDialog,
    MoveDialog,
    CopyDialog,
    FocalField,
    PictureEditor,
    FileSection,
    FileDrop,
    Findings,
  } = props
  useEdgeToEdge()
  const moveToTrash = useMoveToTrash((ids) => ids.forEach(bringBack))
  const { series, pageOf, isMoreComing, positionInList } = useSeries(mediaId, page, view)
  const { neighbors, leaveOut, bringBack } = useNeighbors(mediaId, series, moveToTrash.isPending)
  const { previousId, nextId, strip } = neighbors
  const seen = strip.find(({ id }) => id === mediaId)
  const isSettled = useDebouncedValue(mediaId, restMs) === mediaId
  const query = useQuery({ ...mediaQueries.one(mediaId), placeholderData: seen, enabled: isSettled || !seen })
  const favorite = useFavorite()
  const panel = usePanel()
  const [dialog, setDialog] = useState<'delete' | 'convert' | 'background' | 'move' | 'copy' | 'picture' | 'keys'>()
  // The list's data is shown until the details load.
  const known = query.data ?? seen
  const editing = useEditing(known)
  // If the item was deleted elsewhere, an open form or dialog stays open, so that no input is lost.
  const isHeld = editing.draft !== undefined || (dialog !== undefined && dialog !== 'keys')
  const media = isGone(query.error) && !isHeld ? undefined : known

  const navigate = (id: number | undefined) =>
    id !== undefined && editing.leave(() => onNavigate({ itemId: id, page: pageOf(id) }))
  /** Called when the item is removed: shows the next one and hides the removed one from the list. */
  const showNextItem = () => {
    leaveOut(mediaId)
    const itemId = nextId ?? previousId
    if (itemId === undefined) onClose()
    else onNavigate({ itemId })
  }
  const slideshow = useSlideshow({
    mediaId,
    nextId,
    isMoreComing,
    isHeld: dialog !== undefined || editing.draft !== undefined,
    isMissing: isGone(query.error),
    onTurn: navigate,
  })
  const canTurn = nextId !== undefined || slideshow.isOn
  const isPanelShown = panel.isOpen && !slideshow.isOn
  const showPanel = () => {
    slideshow.end()
    panel.open()
  }
  const togglePanel = slideshow.isOn ? showPanel : panel.toggle
  const edit = () => {
    if (!media) return
    showPanel()
    editing.begin()
  }
  const trash = () => {
    if (!media || media.trashedAt) return
    // With several calls in flight, the callbacks of `mutate` run only for the last one, so this uses the promise.
    moveToTrash.mutateAsync([media.id]).catch(() => bringBack(media.id))
    showNextItem()
  }
  const toggleFavorite = () => media && favorite.mutate({ id: media.id, isFavorite: !media.isFavorite })

  const favoriteAnnouncement = media?.isFavorite ? 'Added to Favorites' : 'Removed from Favorites'
  const closeDialog = () => setDialog(undefined)

  const hasKeys = dialog === undefined && !editing.isAsking
  const keys = { isEnabled: hasKeys, worksInModal: true }
  const { previous, next } = viewerCommands
  useCommand(previous, () => navigate(previousId), { ...keys, repeatMs: turnMs })
  useCommand(next, () => navigate(nextId), { ...keys, repeatMs: turnMs })
  useCommand(libraryCommands.shortcuts, () => setDialog('keys'), keys)
  useCommand(viewerCommands.info, togglePanel, keys)
  useCommand(viewerCommands.slideshow, slideshow.toggle, {
    ...keys,
    isEnabled: hasKeys && !editing.draft && canTurn,
  })
  useCommand(viewerCommands.favorite, toggleFavorite, keys)
  useCommand(viewerCommands.edit, edit, { ...keys, isEnabled: hasKeys && !editing.draft })
  useCommand(viewerCommands.trash, trash, { ...keys, isEnabled: hasKeys && !editing.draft })

  return (
    <Modal
      // Escape first ends the edit mode or the slideshow, then closes the viewer.
      onClose={() => (editing.draft ? editing.leave(() => undefined) : slideshow.isOn ? slideshow.end() : onClose())}
      label="Media Details"
      description={media ? inWords(media, positionInList) : ''}
      theme="dark"
      hasInitialFocus
      // Focus returns to the card of the last item shown, if it is on the page.
      focusAfter={() => document.querySelector<HTMLElement>(`[data-media-id="${mediaId}"] button`)}
      className="inset-0 flex animate-fade-in bg-canvas max-md:flex-col"
    >
      <p aria-live="polite" data-takes-commands={(hasKeys && !editing.draft) || undefined} className="sr-only">
        {favorite.variables?.id === mediaId && favoriteAnnouncement}
      </p>
      <div className="relative flex min-h-0 min-w-0 grow flex-col">
        {media && !media.trashedAt && hasKeys && (
          <LazyBoundary>
            <FileDrop media={media} />
          </LazyBoundary>
        )}
        <ViewerBar
          media={media}
          isPanelOpen={isPanelShown}
          onPanelToggle={togglePanel}
          isSlideshowOn={slideshow.isOn}
          onSlideshowToggle={canTurn ? slideshow.toggle : undefined}
          onFavorite={toggleFavorite}
          onMove={() => setDialog('move')}
          onTrash={editing.draft ? undefined : trash}
          onClose={() => editing.leave(onClose)}
        />
        <ViewerStage
          media={media}
          neighbors={neighbors}
          isSettled={isSettled}
          error={query.error}
          hasKeys={hasKeys}
          isSlideshowOn={slideshow.isOn}
          onMagnify={slideshow.end}
          onTurn={navigate}
          onRetry={() => void query.refetch()}
          onClose={() => editing.leave(onClose)}
        />
        {strip.length > 1 && !slideshow.isOn && <Filmstrip strip={strip} currentId={mediaId} onSelect={navigate} />}
      </div>
      {media && isPanelShown && (
        <aside
          aria-label="Info"
          className={classNames(
            'flex shrink-0 flex-col bg-surface md:w-90 md:border-line md:border-l',
            'max-md:h-[58dvh] max-md:animate-sheet-in max-md:rounded-t-lg max-md:pb-[env(safe-area-inset-bottom)]',
          )}
        >
          {editing.draft && editing.initial ? (
            <EditForm
              media={media}
              initial={editing.initial}
              draft={editing.draft}
              onChange={editing.change}
              onDone={editing.end}
              onSaved={editing.endSaved}
              FocalField={FocalField}
            />
          ) : (
            <InfoPanel
              key={media.id}
              media={media}
              isAfterEditing={editing.hasEnded}
              onEdit={edit}
              onConvert={() => setDialog('convert')}
              onCopyForWebsite={() => setDialog('copy')}
              onRemoveBackground={() => setDialog('background')}
              onDelete={() => setDialog('delete')}
            >
              {/* If one of these chunks fails to load, the rest of the dialog stays usable. */}
              {!media.trashedAt && (
                <LazyBoundary>
                  <FileSection media={media} isSettled={isSettled} onEdit={() => setDialog('picture')} />
                </LazyBoundary>
              )}
              <LazyBoundary>
                <Findings
                  media={media}
                  isSettled={isSettled}
                  onSelect={(itemId, similar) => props.onSelectSimilar(itemId, [media, ...similar])}
                />
              </LazyBoundary>
            </InfoPanel>
          )}
        </aside>
      )}
      {dialog && (
        <LazyBoundary onFailed={closeDialog}>
          {media?.type === 'image' && dialog === 'convert' && <ConvertDialog media={media} onClose={closeDialog} />}
          {media?.type === 'image' && dialog === 'picture' && <PictureEditor media={media} onClose={closeDialog} />}
          {media?.type === 'image' && dialog === 'background' && (
            <RemoveBackgroundDialog media={media} onClose={closeDialog} />
          )}
          {media && dialog === 'move' && <MoveDialog media={media} onClose={closeDialog} />}
          {media && dialog === 'copy' && <CopyDialog media={media} onClose={closeDialog} />}
          {dialog === 'keys' && <KeysDialog onClose={closeDialog} />}
        </LazyBoundary>
      )}
      {media && dialog === 'delete' && <DeleteDialog media={media} onClose={closeDialog} onDeleted={showNextItem} />}
      <ConfirmDialog
        isOpen={editing.isAsking}
        onClose={editing.keepEditing}
        title="Discard your changes?"
        description={`Your changes to "${media?.filename}" haven't been saved.`}
        confirmLabel="Discard"
        cancelLabel="Keep editing"
        onConfirm={editing.discard}
      />
    </Modal>
  )
}

/** "beach.jpg, 3 of 20. Picture. A dog on a beach." */
const inWords = (media: Media, positionInList?: string) =>
  `${[media.filename, positionInList].filter(Boolean).join(', ')}. ${spokenTextOf(media)}`
