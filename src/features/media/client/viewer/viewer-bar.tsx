import Download from 'lucide-react/icons/download'
import FolderPlus from 'lucide-react/icons/folder-plus'
import Heart from 'lucide-react/icons/heart'
import Info from 'lucide-react/icons/info'
import Pause from 'lucide-react/icons/pause'
import Play from 'lucide-react/icons/play'
import Trash2 from 'lucide-react/icons/trash-2'
import X from 'lucide-react/icons/x'
import { buttonClasses } from '#ui/button-classes.ts'
import { classNames } from '#ui/class-names.ts'
import { IconButton } from '#ui/icon-button.tsx'
import { keysOf } from '#ui/keys/key-names.ts'
import { Tooltip } from '#ui/layers/tooltip.tsx'
import type { Media } from '../../contract.ts'
import { viewerCommands } from './viewer-commands.ts'

type ViewerBarProps = {
  media: Media | undefined
  isPanelOpen: boolean
  onPanelToggle: () => void
  isSlideshowOn: boolean
  /** Undefined if there is no next item. */
  onSlideshowToggle: (() => void) | undefined
  onFavorite: () => void
  onMove: () => void
  /** Undefined while the item is being edited. */
  onTrash: (() => void) | undefined
  onClose: () => void
}

export function ViewerBar(props: ViewerBarProps) {
  const { media, isPanelOpen, onPanelToggle, isSlideshowOn, onSlideshowToggle } = props
  const { onFavorite, onMove, onTrash, onClose } = props
  return (
    <div className="flex h-12 shrink-0 items-center gap-1 px-2">
      <IconButton label="Close" icon={<X className="size-5!" />} hasTooltip={false} onClick={onClose} />
      <p className="min-w-0 grow truncate pl-1 text-muted text-sm">{!isPanelOpen && media?.filename}</p>
      {media && (
        <>
          {onSlideshowToggle && (
            <IconButton
              label="Slideshow"
              shortcut={keysOf(viewerCommands.slideshow.hotkey)}
              aria-pressed={isSlideshowOn}
              icon={isSlideshowOn ? <Pause /> : <Play />}
              onClick={onSlideshowToggle}
            />
          )}
          {!media.trashedAt && (
            <>
              <IconButton
                label="Favorite"
                shortcut={keysOf(viewerCommands.favorite.hotkey)}
                aria-pressed={media.isFavorite}
                icon={<Heart className={classNames(media.isFavorite && 'fill-current')} />}
                onClick={onFavorite}
              />
              <IconButton label="Add to Collection" icon={<FolderPlus />} onClick={onMove} />
            </>
          )}
          <Tooltip content="Download" isName>
            <a
              href={`${media.originalUrl}?download=1`}
              download
              aria-label="Download"
              className={buttonClasses({ variant: 'quiet', isIconOnly: true })}
            >
              <Download />
            </a>
          </Tooltip>
          {!media.trashedAt && (
            <IconButton
              label="Move to Trash"
              shortcut={keysOf(viewerCommands.trash.hotkey)}
              icon={<Trash2 />}
              disabled={!onTrash}
              onClick={onTrash}
            />
          )}
          <IconButton
            label="Info"
            shortcut={keysOf(viewerCommands.info.hotkey)}
            aria-pressed={isPanelOpen}
            icon={<Info />}
            onClick={onPanelToggle}
            className={classNames(isPanelOpen && 'bg-hover text-ink!')}
          />
        </>
      )}
    </div>
  )
}
