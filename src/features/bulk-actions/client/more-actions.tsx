import Clock from 'lucide-react/icons/clock'
import Copy from 'lucide-react/icons/copy'
import Download from 'lucide-react/icons/download'
import Ellipsis from 'lucide-react/icons/ellipsis'
import Eraser from 'lucide-react/icons/eraser'
import FileDown from 'lucide-react/icons/file-down'
import FolderMinus from 'lucide-react/icons/folder-minus'
import History from 'lucide-react/icons/history'
import ImageDown from 'lucide-react/icons/image-down'
import Link from 'lucide-react/icons/link'
import Pencil from 'lucide-react/icons/pencil'
import Shredder from 'lucide-react/icons/shredder'
import Sparkles from 'lucide-react/icons/sparkles'
import TextQuote from 'lucide-react/icons/text-quote'
import type { Selection } from '#features/media/client/selection.ts'
import { useServices } from '#features/media/client/use-services.ts'
import type { LibraryView } from '#features/media/library-view.ts'
import { Button } from '#ui/button.tsx'
import { DropdownMenu } from '#ui/menus/dropdown-menu.tsx'
import { MenuItem, MenuSeparator } from '#ui/menus/menu-item.tsx'
import { BarLabel, barAction } from './bar-label.tsx'
import type { BulkDialogName } from './bulk-dialogs.tsx'
import { useDownloadMany, useRemoveManyFromCollection } from './bulk-mutations.ts'
import { useSelectRecentUploads } from './use-select-recent-uploads.ts'

type MoreActionsProps = {
  ids: number[]
  isOff: boolean
  selection: Selection
  view: LibraryView
  onOpenDialog: (dialog: BulkDialogName) => void
}

/** The menu of the selection bar. Items in the trash can only be restored or deleted. */
export function MoreActions({ ids, isOff, selection, view, onOpenDialog }: MoreActionsProps) {
  const { collectionId } = view
  const isTrash = view.filter === 'trash'
  const takeOut = useRemoveManyFromCollection()
  const download = useDownloadMany()
  const selectRecent = useSelectRecentUploads(selection, view)
  const { hasAi, hasBackgroundRemoval } = useServices()
  const count = ids.length.toLocaleString('en')
  return (
    <DropdownMenu
      trigger={
        <Button aria-label="More actions" icon={<Ellipsis />} variant="quiet" className={barAction}>
          <BarLabel short="More">More</BarLabel>
        </Button>
      }
      side="top"
    >
      {!isTrash && (
        <MenuItem icon={<Clock />} onSelect={selectRecent}>
          Recent Uploads
        </MenuItem>
      )}
      <MenuItem icon={<History />} onSelect={() => onOpenDialog('history')}>
        History
      </MenuItem>
      <MenuSeparator />
      {!isTrash && (
        <>
          <MenuItem icon={<Pencil />} disabled={isOff} onSelect={() => onOpenDialog('rename')}>
            Rename ({count})
          </MenuItem>
          <MenuItem icon={<TextQuote />} disabled={isOff} onSelect={() => onOpenDialog('description')}>
            Edit Descriptions ({count})
          </MenuItem>
          {hasAi && (
            <MenuItem icon={<Sparkles />} disabled={isOff} onSelect={() => onOpenDialog('ai-tag')}>
              AI Tag ({count})
            </MenuItem>
          )}
          <MenuItem icon={<ImageDown />} disabled={isOff} onSelect={() => onOpenDialog('convert')}>
            Convert to WebP ({count})
          </MenuItem>
          {hasBackgroundRemoval && (
            <MenuItem icon={<Eraser />} disabled={isOff} onSelect={() => onOpenDialog('background')}>
              Remove Background ({count})
            </MenuItem>
          )}
          <MenuItem icon={<Copy />} disabled={isOff} onSelect={() => onOpenDialog('copy')}>
            Copy Images ({count})
          </MenuItem>
          <MenuItem icon={<Link />} disabled={isOff} onSelect={() => onOpenDialog('urls')}>
            Create URLs ({count})
          </MenuItem>
          <MenuItem icon={<Download />} disabled={isOff || download.isPending} onSelect={() => download.mutate(ids)}>
            Download ({count})
          </MenuItem>
          <MenuItem icon={<FileDown />} disabled={isOff} onSelect={() => onOpenDialog('export')}>
            Export Document ({count})
          </MenuItem>
          <MenuSeparator />
          {collectionId !== undefined && (
            <MenuItem
              icon={<FolderMinus />}
              disabled={isOff || takeOut.isPending}
              onSelect={() =>
                takeOut.mutate({ mediaIds: ids, collectionId }, { onSuccess: () => selection.deselect(ids) })
              }
            >
              Remove from Collection ({count})
            </MenuItem>
          )}
        </>
      )}
      <MenuItem icon={<Shredder />} tone="danger" disabled={isOff} onSelect={() => onOpenDialog('delete')}>
        Delete permanently ({count})…
      </MenuItem>
    </DropdownMenu>
  )
}
