import Copy from 'lucide-react/icons/copy'
import Ellipsis from 'lucide-react/icons/ellipsis'
import ExternalLink from 'lucide-react/icons/external-link'
import FolderSearch from 'lucide-react/icons/folder-search'
import GripVertical from 'lucide-react/icons/grip-vertical'
import LinkIcon from 'lucide-react/icons/link'
import Palette from 'lucide-react/icons/palette'
import Pencil from 'lucide-react/icons/pencil'
import Shredder from 'lucide-react/icons/shredder'
import Snowflake from 'lucide-react/icons/snowflake'
import Sparkles from 'lucide-react/icons/sparkles'
import SquarePen from 'lucide-react/icons/square-pen'
import { copyPublicUrl } from '#features/media/client/copy-public-url.ts'
import { useServices } from '#features/media/client/use-services.ts'
import { IconButton } from '#ui/icon-button.tsx'
import { DropdownMenu } from '#ui/menus/dropdown-menu.tsx'
import { MenuItem, MenuSeparator } from '#ui/menus/menu-item.tsx'
import type { Collection } from '../contract.ts'
import type { CollectionDialogName } from './collection-dialogs.tsx'

type CollectionMenuProps = { collection: Collection; onDialog: (name: CollectionDialogName) => void }

export function CollectionMenu({ collection, onDialog }: CollectionMenuProps) {
  const { isPublic, publicUrl, name, query } = collection
  const { hasAi } = useServices()
  return (
    <DropdownMenu
      trigger={<IconButton label={`Actions for ${name}`} icon={<Ellipsis />} size="sm" hasTooltip={false} />}
    >
      {isPublic && publicUrl && (
        <>
          <MenuItem icon={<Copy />} onSelect={() => void copyPublicUrl(publicUrl)}>
            Copy Public URL
          </MenuItem>
          <MenuItem icon={<LinkIcon />} onSelect={() => onDialog('rename-url')}>
            Rename URL
          </MenuItem>
          <MenuItem icon={<ExternalLink />} onSelect={() => void window.open(publicUrl, '_blank', 'noopener')}>
            View Public Page
          </MenuItem>
          <MenuSeparator />
        </>
      )}
      <MenuItem icon={<Pencil />} onSelect={() => onDialog('rename')}>
        Rename Collection
      </MenuItem>
      {query !== null && (
        <>
          <MenuItem icon={<FolderSearch />} onSelect={() => onDialog('edit-search')}>
            Edit Search
          </MenuItem>
          <MenuItem icon={<Snowflake />} onSelect={() => onDialog('freeze')}>
            Freeze…
          </MenuItem>
        </>
      )}
      <MenuItem icon={<SquarePen />} onSelect={() => onDialog('duplicate')}>
        Duplicate for Other Website
      </MenuItem>
      {hasAi && (
        <MenuItem icon={<Sparkles />} onSelect={() => onDialog('ai-rename')}>
          AI Rename Images
        </MenuItem>
      )}
      <MenuItem icon={<GripVertical />} onSelect={() => onDialog('arrange')}>
        {query === null ? 'Arrange & Cover' : 'Choose Cover'}
      </MenuItem>
      <MenuItem icon={<Palette />} onSelect={() => onDialog('share')}>
        Customize &amp; Share
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={<Shredder />} tone="danger" onSelect={() => onDialog('delete')}>
        Delete Collection
      </MenuItem>
    </DropdownMenu>
  )
}
