import Ellipsis from 'lucide-react/icons/ellipsis'
import KeyRound from 'lucide-react/icons/key-round'
import ShieldCheck from 'lucide-react/icons/shield-check'
import ShieldOff from 'lucide-react/icons/shield-off'
import Trash2 from 'lucide-react/icons/trash-2'
import { IconButton } from '#ui/icon-button.tsx'
import { DropdownMenu } from '#ui/menus/dropdown-menu.tsx'
import { MenuItem, MenuSeparator } from '#ui/menus/menu-item.tsx'
import type { AdminUser } from '../contract.ts'
import { useSetAdmin } from './mutations.ts'

type UserMenuProps = { user: AdminUser; onResetPassword: () => void; onDelete: () => void }

export function UserMenu({ user, onResetPassword, onDelete }: UserMenuProps) {
  const setAdmin = useSetAdmin()
  const trigger = (
    <IconButton
      label={`Actions for ${user.username}`}
      icon={<Ellipsis />}
      size="sm"
      hasTooltip={false}
      isPending={setAdmin.isPending}
    />
  )
  return (
    <DropdownMenu trigger={trigger}>
      <MenuItem
        icon={user.is_admin ? <ShieldOff /> : <ShieldCheck />}
        onSelect={() => setAdmin.mutate({ user, isAdmin: !user.is_admin })}
      >
        {user.is_admin ? 'Revoke admin' : 'Make admin'}
      </MenuItem>
      <MenuItem icon={<KeyRound />} onSelect={onResetPassword}>
        Reset password
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={<Trash2 />} tone="danger" onSelect={onDelete}>
        Delete user
      </MenuItem>
    </DropdownMenu>
  )
}
