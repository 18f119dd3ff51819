import Captions from 'lucide-react/icons/captions'
import Clock from 'lucide-react/icons/clock'
import Copy from 'lucide-react/icons/copy'
import Download from 'lucide-react/icons/download'
import Ellipsis from 'lucide-react/icons/ellipsis'
import Eraser from 'lucide-react/icons/eraser'
import FileDown from 'lucide-react/icons/file-down'
import FileUp from 'lucide-react/icons/file-up'
import FolderMinus from 'lucide-react/icons/folder-minus'
import History from 'lucide-react/icons/history'
import ImageDown from 'lucide-react/icons/image-down'
import Link from 'lucide-react/icons/link'
import Pencil from 'lucide-react/icons/pencil'
import Shredder from 'lucide-react/icons/shredder'
import Sparkles from 'lucide-react/icons/sparkles'
import TextQuote from 'lucide-react/icons/text-quote'
import { smartHint } from '#features/media/client/card-menu.tsx'
import type { Selection } from '#features/media/client/selection.ts'
import { useServices } from '#features/media/client/use-services.ts'
import type { LibraryView } from '#features/media/library-view.ts'
import { Button } from '#ui/button.tsx'
import { type Offer, useOffers } from '#ui/commands/use-command.ts'
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
  isSmart: boolean
  onOpenDialog: (dialog: BulkDialogName) => void
}

type Action = Offer & { isOff?: boolean; hint?: string }

/** The heading of the selection's actions in the palette. */
export const selectedItems = 'Selected items'

/** The menu of the selection bar. Items in the trash can only be restored or deleted. */
export function MoreActions({ ids, isOff, selection, view, isSmart, onOpenDialog }: MoreActionsProps) {
  const { collectionId } = view
  const isTrash = view.filter === 'trash'
  const takeOut = useRemoveManyFromCollection()
  const download = useDownloadMany()
  const selectRecent = useSelectRecentUploads(selection, view)
  const { hasAi, hasBackgroundRemoval } = useServices()
  const count = ids.length.toLocaleString('en')
  const dialog = (name: BulkDialogName) => () => onOpenDialog(name)
  const changes: Action[] = [
    { name: 'Rename', icon: <Pencil />, run: dialog('rename') },
    { name: 'Edit Descriptions', icon: <TextQuote />, run: dialog('description') },
    ...(hasAi
      ? [
          { name: 'AI Tag', icon: <Sparkles />, run: dialog('ai-tag') },
          { name: 'Write Alt Texts', icon: <Captions />, run: dialog('alt-texts') },
        ]
      : []),
    { name: 'Convert to WebP', icon: <ImageDown />, run: dialog('convert') },
    ...(hasBackgroundRemoval ? [{ name: 'Remove Background', icon: <Eraser />, run: dialog('background') }] : []),
    { name: 'Copy Images', icon: <Copy />, run: dialog('copy') },
    { name: 'Create URLs', icon: <Link />, run: dialog('urls') },
    { name: 'Download', icon: <Download />, run: () => download.mutate(ids), isOff: download.isPending },
    { name: 'Export Document', icon: <FileDown />, run: dialog('export') },
  ]
  const removals: Action[] =
    collectionId === undefined
      ? []
      : [
          {
            name: 'Remove from Collection',
            icon: <FolderMinus />,
            run: () => takeOut.mutate({ mediaIds: ids, collectionId }, { onSuccess: () => selection.deselect(ids) }),
            isOff: isSmart || takeOut.isPending,
            hint: isSmart ? smartHint : undefined,
          },
        ]
  const deletion: Action = { name: 'Delete permanently', icon: <Shredder />, run: dialog('delete') }
  const actions = isTrash ? [deletion] : [...changes, ...removals, deletion]
  useOffers(
    isOff ? [] : actions.filter((action) => !action.isOff).map((action) => ({ ...action, group: selectedItems })),
  )
  const itemOf = ({ name, icon, run, hint, isOff: isOffNow = false }: Action) => (
    <MenuItem key={name} icon={icon} hint={hint} disabled={isOff || isOffNow} onSelect={run}>
      {`${name} (${count})`}
    </MenuItem>
  )
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
      {!isTrash && (
        <MenuItem icon={<FileUp />} onSelect={() => onOpenDialog('import')}>
          Import Table…
        </MenuItem>
      )}
      <MenuSeparator />
      {!isTrash && (
        <>
          {changes.map(itemOf)}
          <MenuSeparator />
          {removals.map(itemOf)}
        </>
      )}
      <MenuItem icon={deletion.icon} tone="danger" disabled={isOff} onSelect={deletion.run}>
        Delete permanently ({count})…
      </MenuItem>
    </DropdownMenu>
  )
}
