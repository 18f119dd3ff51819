import Code from 'lucide-react/icons/code'
import Copy from 'lucide-react/icons/copy'
import Download from 'lucide-react/icons/download'
import Ellipsis from 'lucide-react/icons/ellipsis'
import FolderInput from 'lucide-react/icons/folder-input'
import FolderMinus from 'lucide-react/icons/folder-minus'
import Globe from 'lucide-react/icons/globe'
import Heart from 'lucide-react/icons/heart'
import Pencil from 'lucide-react/icons/pencil'
import RotateCcw from 'lucide-react/icons/rotate-ccw'
import ScanSearch from 'lucide-react/icons/scan-search'
import Shredder from 'lucide-react/icons/shredder'
import Trash2 from 'lucide-react/icons/trash-2'
import { IconButton } from '#ui/icon-button.tsx'
import { DropdownMenu } from '#ui/menus/dropdown-menu.tsx'
import { MenuItem, MenuSeparator } from '#ui/menus/menu-item.tsx'
import { saveFile } from '#ui/save-file.ts'
import type { Media } from '../contract.ts'
import { openSimilar } from '../library-view.ts'
import { copyPublicUrl } from './copy-public-url.ts'
import {
  useCopyMedia,
  useFavorite,
  useMakePublic,
  useMoveToTrash,
  useReprocess,
  useRestoreFromTrash,
} from './mutations.ts'
import type { ItemActions } from './press-item.ts'
import { revealedOnPicture } from './revealed-classes.ts'
import { setLibraryView } from './use-library-view.ts'
import { useServices } from './use-services.ts'

/** Why nothing can be removed from a smart collection. */
export const smartHint = 'A smart collection contains what matches its search.'

type CardMenuProps = Pick<
  ItemActions,
  'onMove' | 'onDelete' | 'onCopyForWebsite' | 'onRemoveFromCollection' | 'isSmart'
> & {
  media: Media
  onRename: () => void
  /** On the picture of a card, and not in a row. */
  isOnPicture?: boolean
}

export function CardMenu(props: CardMenuProps) {
  const {
    media,
    onRename,
    onMove,
    onDelete,
    onCopyForWebsite,
    onRemoveFromCollection,
    isSmart,
    isOnPicture = false,
  } = props
  const favorite = useFavorite()
  const copy = useCopyMedia()
  const makePublic = useMakePublic()
  const reprocess = useReprocess()
  const moveToTrash = useMoveToTrash()
  const restore = useRestoreFromTrash()
  const { hasAi } = useServices()
  const trigger = (
    <IconButton
      label={`Actions for ${media.filename}`}
      icon={<Ellipsis />}
      size="sm"
      hasTooltip={false}
      variant={isOnPicture ? 'on-picture' : 'quiet'}
      className={isOnPicture ? revealedOnPicture : undefined}
    />
  )
  if (media.trashedAt) {
    return (
      <DropdownMenu trigger={trigger}>
        <MenuItem icon={<RotateCcw />} onSelect={() => restore.mutate([media.id])}>
          Restore
        </MenuItem>
        <MenuItem icon={<Shredder />} tone="danger" onSelect={() => onDelete(media)}>
          Delete permanently…
        </MenuItem>
      </DropdownMenu>
    )
  }
  return (
    <DropdownMenu trigger={trigger}>
      <MenuItem icon={<Heart />} onSelect={() => favorite.mutate({ id: media.id, isFavorite: !media.isFavorite })}>
        {media.isFavorite ? 'Remove from Favorites' : 'Add to Favorites'}
      </MenuItem>
      <MenuItem icon={<Pencil />} onSelect={onRename}>
        Rename
      </MenuItem>
      <MenuItem icon={<Copy />} onSelect={() => copy.mutate(media.id)}>
        Duplicate
      </MenuItem>
      {media.publicUrl ? (
        <MenuItem icon={<Globe />} onSelect={() => copyPublicUrl(media.publicUrl!)}>
          Copy Public URL
        </MenuItem>
      ) : (
        <MenuItem icon={<Globe />} onSelect={() => makePublic.mutate(media.id)}>
          Create Public URL
        </MenuItem>
      )}
      <MenuItem icon={<Code />} onSelect={() => onCopyForWebsite(media)}>
        Copy for Website…
      </MenuItem>
      {media.playback === 'failed' && (
        <MenuItem icon={<RotateCcw />} onSelect={() => reprocess.mutate(media.id)}>
          Retry Processing
        </MenuItem>
      )}
      <MenuItem icon={<Download />} onSelect={() => saveFile(`${media.originalUrl}?download=1`)}>
        Download
      </MenuItem>
      <MenuItem icon={<FolderInput />} onSelect={() => onMove(media)}>
        Move to Collection
      </MenuItem>
      {hasAi && (
        <MenuItem icon={<ScanSearch />} onSelect={() => setLibraryView(openSimilar({ similarToId: media.id }))}>
          Similar Items
        </MenuItem>
      )}
      {onRemoveFromCollection && (
        <MenuItem
          icon={<FolderMinus />}
          disabled={isSmart}
          hint={smartHint}
          onSelect={() => onRemoveFromCollection(media)}
        >
          Remove from Collection
        </MenuItem>
      )}
      <MenuSeparator />
      <MenuItem icon={<Trash2 />} shortcut="Delete" onSelect={() => moveToTrash.mutate([media.id])}>
        Move to Trash
      </MenuItem>
      <MenuItem icon={<Shredder />} tone="danger" onSelect={() => onDelete(media)}>
        Delete permanently…
      </MenuItem>
    </DropdownMenu>
  )
}
