import ChevronLeft from 'lucide-react/icons/chevron-left'
import ChevronRight from 'lucide-react/icons/chevron-right'
import { failureReason } from '#platform/client/call.ts'
import { Button } from '#ui/button.tsx'
import { classNames } from '#ui/class-names.ts'
import { EmptyState } from '#ui/empty-state.tsx'
import { IconButton } from '#ui/icon-button.tsx'
import { Spinner } from '#ui/spinner.tsx'
import type { Media } from '../../contract.ts'
import { isGone } from '../queries.ts'
import { PictureStage } from './picture-stage.tsx'
import type { Neighbors } from './use-neighbors.ts'
import { VideoStage } from './video-stage.tsx'
import type { Swipe } from './zoom.ts'

type ViewerStageProps = {
  media: Media | undefined
  neighbors: Neighbors
  /** True if the user is not paging through items. */
  isSettled: boolean
  /** The reason why the item could not be loaded. */
  error: Error | null
  hasKeys: boolean
  isSlideshowOn: boolean
  onMagnify: () => void
  onTurn: (id: number | undefined) => void
  onRetry: () => void
  onClose: () => void
}

/** The picture or player with the previous and next buttons. */
export function ViewerStage(props: ViewerStageProps) {
  const { media, neighbors, isSettled, error, hasKeys, isSlideshowOn, onMagnify, onTurn, onRetry, onClose } = props
  const { previousId, nextId, strip } = neighbors
  const swipe = (direction: Swipe) =>
    direction === 'close' ? onClose() : onTurn(direction === 'next' ? nextId : previousId)
  // On a player a swipe seeks.
  const isSwiped = media?.type === 'image'
  return (
    <div className="relative min-h-0 grow">
      {!media && <NoItem error={error} onRetry={onRetry} onClose={onClose} />}
      {media?.type === 'video' && (
        <VideoStage key={media.id} media={media} isSettled={isSettled} hasKeys={hasKeys} playsItself={isSlideshowOn} />
      )}
      {media?.type === 'image' && (
        <PictureStage
          key={media.id}
          media={media}
          neighbors={strip.filter(({ id, type }) => type === 'image' && (id === nextId || id === previousId))}
          hasKeys={hasKeys}
          onMagnify={onMagnify}
          onSwipe={swipe}
        />
      )}
      {previousId !== undefined && <Turn to="previous" isSwiped={isSwiped} onTurn={() => onTurn(previousId)} />}
      {nextId !== undefined && <Turn to="next" isSwiped={isSwiped} onTurn={() => onTurn(nextId)} />}
    </div>
  )
}

const turns = {
  previous: { label: 'Previous', shortcut: '←', icon: <ChevronLeft className="size-5!" />, position: 'left-3' },
  next: { label: 'Next', shortcut: '→', icon: <ChevronRight className="size-5!" />, position: 'right-3' },
}

type TurnProps = { to: 'previous' | 'next'; isSwiped: boolean; onTurn: () => void }

/** Where swiping changes the item, the button is only for keyboards and for screen readers, which intercept swipes. */
function Turn({ to, isSwiped, onTurn }: TurnProps) {
  const { label, shortcut, icon, position } = turns[to]
  return (
    <IconButton
      label={label}
      shortcut={shortcut}
      icon={icon}
      onClick={onTurn}
      className={classNames(
        'absolute! top-1/2 -translate-y-1/2 rounded-full! bg-canvas/60 text-ink! ring-1 ring-line-strong hover:bg-canvas/85!',
        isSwiped && 'pointer-coarse:not-focus-visible:sr-only',
        position,
      )}
    />
  )
}

function NoItem({ error, onRetry, onClose }: Pick<ViewerStageProps, 'error' | 'onRetry' | 'onClose'>) {
  if (!error) {
    return (
      <div className="grid size-full place-items-center text-muted">
        <Spinner label="Loading" className="flex-col [&_svg]:size-6" />
      </div>
    )
  }
  if (!isGone(error)) {
    return (
      <EmptyState
        drawing="unplugged"
        title="Couldn't load this item"
        description={failureReason(error)}
        action={<Button onClick={onRetry}>Try again</Button>}
        className="size-full"
      />
    )
  }
  return (
    <EmptyState
      drawing="unplugged"
      title="This item isn't in your library"
      description="It may have been deleted, or the link may be wrong."
      action={<Button onClick={onClose}>Back to the library</Button>}
      className="size-full"
    />
  )
}
