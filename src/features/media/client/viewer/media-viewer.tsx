import { useQuery } from '@tanstack/react-query'
import { type ComponentType, type ReactNode, useState } from 'react'
import { useHotkey } from '#ui/keys/use-hotkey.ts'
import { ConfirmDialog } from '#ui/layers/confirm-dialog.tsx'
import { Modal } from '#ui/layers/modal.tsx'
import { LazyBoundary } from '#ui/lazy-boundary.tsx'
import { lazyComponent } from '#ui/lazy-component.tsx'
import { useDebouncedValue } from '#ui/use-debounced-value.ts'
import type { Media, ViewedMedia } from '../../contract.ts'
import type { LibraryView } from '../../library-view.ts'
import { DeleteDialog } from '../delete-dialog.tsx'
import { useFavorite, useMoveToTrash } from '../mutations.ts'
import { isGone, mediaQueries } from '../queries.ts'
import { whatIsSeen } from '../what-is-seen.ts'
import { EditForm } from './edit-form.tsx'
import { Filmstrip } from './filmstrip.tsx'
import { InfoPanel } from './info-panel.tsx'
import { usePanel } from './panel-open.ts'
import { useEdgeToEdge } from './use-edge-to-edge.ts'
import { useEditing } from './use-editing.ts'
import { useNeighbours } from './use-neighbours.ts'
import { useSeries } from './use-series.ts'
import { useSlideshow } from './use-slideshow.ts'
import { ViewerBar } from './viewer-bar.tsx'
import { ViewerStage } from './viewer-stage.tsx'

const KeysDialog = lazyComponent(
  () => import('../keys-dialog.tsx'),
  ({ KeysDialog }) => KeysDialog,
)

/**
 * Between two pages while an arrow key is held. Each turn changes the address, and a browser allows that two hundred times
 * in ten seconds (Safari a hundred times); beyond that Firefox and Safari throw, and Chromium does nothing.
 */
const turnMs = 110
/** Longer than that: of what is only passed by, the list knows enough. */
const restMs = 250

/** An item, and the page of the list that shows it. */
type ItemPlace = { itemId: number; page?: number }

type ItemDialog = ComponentType<{ media: Media; onClose: () => void }>

type MediaViewerProps = {
  mediaId: number
  /** The items among which it was opened. */
  page: readonly Media[]
  /** The list of which they are one page, when it may have others. */
  view?: LibraryView
  onNavigate: (to: ItemPlace) => void
  onClose: () => void
  /** Conversion and what moves items are features of their own, which build upon this one. */
  ConvertDialog: ItemDialog
  MoveDialog: ItemDialog
  /** What other features add to the panel: who described the item, what looks like it. */
  renderFindings?: (media: ViewedMedia, isAtRest: boolean) => ReactNode
}

/** One item, edge to edge: the picture or the player, what is known about it, and what can be done with it. */
export function MediaViewer(props: MediaViewerProps) {
  const { mediaId, page, view, onNavigate, onClose, ConvertDialog, MoveDialog, renderFindings } = props
  useEdgeToEdge()
  const moveToTrash = useMoveToTrash((ids) => ids.forEach(bringBack))
  const { series, pageOf, isMoreComing, placeInList } = useSeries(mediaId, page, view)
  const { neighbours, leaveOut, bringBack } = useNeighbours(mediaId, series, moveToTrash.isPending)
  const { previousId, nextId, strip } = neighbours
  const seen = strip.find(({ id }) => id === mediaId)
  const isAtRest = useDebouncedValue(mediaId, restMs) === mediaId
  const query = useQuery({ ...mediaQueries.one(mediaId), placeholderData: seen, enabled: isAtRest || !seen })
  const favorite = useFavorite()
  const panel = usePanel()
  const [dialog, setDialog] = useState<'delete' | 'convert' | 'move' | 'keys'>()
  // What the list knows is better than nothing.
  const known = query.data ?? seen
  const editing = useEditing(known)
  // One that is gone says so, but takes nothing away from under the hands of somebody who writes or answers.
  const isHeld = editing.draft !== undefined || (dialog !== undefined && dialog !== 'keys')
  const media = isGone(query.error) && !isHeld ? undefined : known

  const navigate = (id: number | undefined) =>
    id !== undefined && editing.leave(() => onNavigate({ itemId: id, page: pageOf(id) }))
  /** The item is going; the next one takes its place, also on the page. */
  const moveOn = () => {
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
    // Of two that are on their way, `mutate` would tell only how the second one ended.
    moveToTrash.mutateAsync([media.id]).catch(() => bringBack(media.id))
    moveOn()
  }
  const toggleFavorite = () => media && favorite.mutate({ id: media.id, isFavorite: !media.isFavorite })

  const heartNews = media?.isFavorite ? 'Added to Favorites' : 'Removed from Favorites'
  const closeDialog = () => setDialog(undefined)

  const hasKeys = dialog === undefined && !editing.isAsking
  const keys = { isEnabled: hasKeys, worksInModal: true }
  useHotkey('ArrowLeft', () => navigate(previousId), { ...keys, repeatMs: turnMs })
  useHotkey('ArrowRight', () => navigate(nextId), { ...keys, repeatMs: turnMs })
  useHotkey('?', () => setDialog('keys'), keys)
  useHotkey('i', togglePanel, keys)
  useHotkey('s', slideshow.toggle, { ...keys, isEnabled: hasKeys && !editing.draft && canTurn })
  useHotkey('f', toggleFavorite, keys)
  useHotkey('e', edit, { ...keys, isEnabled: hasKeys && !editing.draft })
  useHotkey('Delete', trash, { ...keys, isEnabled: hasKeys && !editing.draft })

  return (
    <Modal
      // Escape leaves the edit mode or the slideshow before it leaves the viewer.
      onClose={() => (editing.draft ? editing.leave(() => undefined) : slideshow.isOn ? slideshow.end() : onClose())}
      label="Media Details"
      description={media ? inWords(media, placeInList) : ''}
      theme="dark"
      hasInitialFocus
      // Whoever turned the pages goes on from the item they saw last, when the page behind shows it.
      focusAfter={() => document.querySelector<HTMLElement>(`[data-media-id="${mediaId}"] button`)}
      className="inset-0 flex animate-fade-in bg-canvas max-md:flex-col"
    >
      <p aria-live="polite" className="sr-only">
        {favorite.variables?.id === mediaId && heartNews}
      </p>
      <div className="flex min-h-0 min-w-0 grow flex-col">
        <ViewerBar
          media={media}
          isPanelOpen={isPanelShown}
          onPanelToggle={togglePanel}
          isSlideshowOn={slideshow.isOn}
          onSlideshowToggle={canTurn ? slideshow.toggle : undefined}
          onFavorite={toggleFavorite}
          onClose={() => editing.leave(onClose)}
        />
        <ViewerStage
          media={media}
          neighbours={neighbours}
          isAtRest={isAtRest}
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
          className="flex shrink-0 flex-col bg-surface max-md:h-[58dvh] max-md:animate-sheet-in max-md:rounded-t-lg max-md:pb-[env(safe-area-inset-bottom)] md:w-90 md:border-line md:border-l"
        >
          {editing.draft && editing.begun ? (
            <EditForm
              media={media}
              begun={editing.begun}
              draft={editing.draft}
              onChange={editing.change}
              onDone={editing.end}
              onSaved={editing.endSaved}
            />
          ) : (
            <InfoPanel
              key={media.id}
              media={media}
              isAfterEditing={editing.hasEnded}
              onEdit={edit}
              onMove={() => setDialog('move')}
              onConvert={() => setDialog('convert')}
              onTrash={trash}
              onDelete={() => setDialog('delete')}
            >
              {/* A part that does not arrive must not take the open dialog around it along. */}
              <LazyBoundary>{renderFindings?.(media, isAtRest)}</LazyBoundary>
            </InfoPanel>
          )}
        </aside>
      )}
      {dialog && (
        <LazyBoundary onFailed={closeDialog}>
          {media?.type === 'image' && dialog === 'convert' && <ConvertDialog media={media} onClose={closeDialog} />}
          {media && dialog === 'move' && <MoveDialog media={media} onClose={closeDialog} />}
          {dialog === 'keys' && <KeysDialog onClose={closeDialog} />}
        </LazyBoundary>
      )}
      {media && dialog === 'delete' && <DeleteDialog media={media} onClose={closeDialog} onDeleted={moveOn} />}
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
const inWords = (media: Media, placeInList?: string) =>
  `${[media.filename, placeInList].filter(Boolean).join(', ')}. ${whatIsSeen(media)}`
