import Command from 'lucide-react/icons/command'
import type { ReactNode } from 'react'
import type { User } from '#features/auth/contract.ts'
import { libraryCommands } from '#features/media/client/library-commands.ts'
import type { Offer } from '#ui/commands/use-command.ts'
import { keysOf } from '#ui/keys/key-names.ts'
import { MenuItem, MenuLabel, MenuSeparator } from '#ui/menus/menu-item.tsx'
import { useAccountCommands } from './account-commands.tsx'

type UserMenuItemsProps = {
  user: User
  onDialogChange: (dialog: ReactNode) => void
  onListKeys: () => void
  onOpenPalette: () => void
}

export function UserMenuItems({ onOpenPalette, ...account }: UserMenuItemsProps) {
  const { user } = account
  const { admin, own } = useAccountCommands(account)
  const hasKeyboard = !window.matchMedia('(pointer: coarse)').matches
  const shown = own.filter(({ name }) => hasKeyboard || name !== libraryCommands.shortcuts.name)
  return (
    <>
      <MenuLabel>
        <span className="block truncate font-medium text-base text-ink">{user.username}</span>
        <span className="block truncate">{user.email}</span>
      </MenuLabel>
      <MenuSeparator />
      {admin.length > 0 && (
        <>
          {admin.map(itemOf)}
          <MenuSeparator />
        </>
      )}
      {itemOf({ ...libraryCommands.palette, icon: <Command />, run: onOpenPalette })}
      {shown.map(itemOf)}
    </>
  )
}

const itemOf = ({ name, icon, hotkey, run }: Offer) => (
  <MenuItem key={name} icon={icon} shortcut={keysOf(hotkey)} onSelect={run}>
    {name}
  </MenuItem>
)
