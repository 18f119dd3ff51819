import Database from 'lucide-react/icons/database'
import History from 'lucide-react/icons/history'
import KeyRound from 'lucide-react/icons/key-round'
import Keyboard from 'lucide-react/icons/keyboard'
import LogOut from 'lucide-react/icons/log-out'
import Proportions from 'lucide-react/icons/proportions'
import Shield from 'lucide-react/icons/shield'
import type { ReactNode } from 'react'
import { useLocation } from 'wouter'
import { useLogout } from '#features/auth/client/mutations.ts'
import type { User } from '#features/auth/contract.ts'
import { lazyComponent } from '#ui/lazy-component.tsx'
import { MenuItem, MenuLabel, MenuSeparator } from '#ui/menus/menu-item.tsx'

const ChangePasswordDialog = lazyComponent(
  () => import('#features/auth/client/change-password-dialog.tsx'),
  ({ ChangePasswordDialog }) => ChangePasswordDialog,
)
const PresetsDialog = lazyComponent(
  () => import('#features/delivery/client/presets-dialog.tsx'),
  ({ PresetsDialog }) => PresetsDialog,
)
const HistoryDialog = lazyComponent(
  () => import('#features/bulk-actions/client/history-dialog.tsx'),
  ({ HistoryDialog }) => HistoryDialog,
)

/** Dialogs are rendered by the top bar, so that they stay open when the menu closes. */
type UserMenuItemsProps = { user: User; onDialogChange: (dialog: ReactNode) => void; onListKeys: () => void }

export function UserMenuItems({ user, onDialogChange, onListKeys }: UserMenuItemsProps) {
  const [, navigate] = useLocation()
  const logout = useLogout()
  const closeDialog = () => onDialogChange(undefined)
  return (
    <>
      <MenuLabel>
        <span className="block truncate font-medium text-base text-ink">{user.username}</span>
        <span className="block truncate">{user.email}</span>
      </MenuLabel>
      <MenuSeparator />
      {user.isAdmin && (
        <>
          <MenuItem icon={<Shield />} onSelect={() => navigate('/admin')}>
            Admin Panel
          </MenuItem>
          <MenuItem icon={<Database />} onSelect={() => navigate('/database')}>
            Database Viewer
          </MenuItem>
          <MenuSeparator />
        </>
      )}
      <MenuItem icon={<History />} onSelect={() => onDialogChange(<HistoryDialog onClose={closeDialog} />)}>
        History
      </MenuItem>
      <MenuItem icon={<Proportions />} onSelect={() => onDialogChange(<PresetsDialog onClose={closeDialog} />)}>
        Presets
      </MenuItem>
      {!window.matchMedia('(pointer: coarse)').matches && (
        <MenuItem icon={<Keyboard />} shortcut="?" onSelect={onListKeys}>
          Keyboard shortcuts
        </MenuItem>
      )}
      <MenuItem
        icon={<KeyRound />}
        onSelect={() => onDialogChange(<ChangePasswordDialog user={user} onClose={closeDialog} />)}
      >
        Change password
      </MenuItem>
      <MenuItem icon={<LogOut />} onSelect={() => logout.mutate()}>
        Logout
      </MenuItem>
    </>
  )
}
