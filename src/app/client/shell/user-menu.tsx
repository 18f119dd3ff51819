import Database from 'lucide-react/icons/database'
import LogOut from 'lucide-react/icons/log-out'
import Shield from 'lucide-react/icons/shield'
import { useLocation } from 'wouter'
import { useLogout } from '#features/auth/client/mutations.ts'
import type { User } from '#features/auth/contract.ts'
import { Avatar } from '#ui/avatar.tsx'
import { Button } from '#ui/button.tsx'
import { DropdownMenu } from '#ui/dropdown-menu.tsx'
import { MenuItem, MenuLabel, MenuSeparator } from '#ui/menu-item.tsx'

export function UserMenu({ user }: { user: User }) {
  const [, navigate] = useLocation()
  const logout = useLogout()
  return (
    <DropdownMenu
      align="end"
      trigger={
        <Button
          variant="quiet"
          icon={<Avatar name={user.username} />}
          aria-label={`Account: ${user.username}`}
          className="px-0.5! xl:pr-2.5!"
        >
          <span className="max-w-32 truncate max-xl:hidden">{user.username}</span>
        </Button>
      }
    >
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
      <MenuItem icon={<LogOut />} onSelect={() => logout.mutate()}>
        Logout
      </MenuItem>
    </DropdownMenu>
  )
}
