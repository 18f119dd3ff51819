import { type ReactNode, useState } from 'react'
import type { User } from '#features/auth/contract.ts'
import { Avatar } from '#ui/avatar.tsx'
import { Button } from '#ui/button.tsx'
import { useHotkey } from '#ui/keys/use-hotkey.ts'
import { LazyBoundary } from '#ui/lazy-boundary.tsx'
import { lazyComponent } from '#ui/lazy-component.tsx'
import { DropdownMenu } from '#ui/menus/dropdown-menu.tsx'

const UserMenuItems = lazyComponent(
  () => import('./user-menu-items.tsx'),
  ({ UserMenuItems }) => UserMenuItems,
)
const KeysDialog = lazyComponent(
  () => import('#features/media/client/keys-dialog.tsx'),
  ({ KeysDialog }) => KeysDialog,
)

/**
 * The button renders at once; the menu's items load when the user hovers or focuses it. "?" opens the list of shortcuts on
 * every screen, as the menu does.
 */
export function UserMenu({ user }: { user: User }) {
  const [dialog, setDialog] = useState<ReactNode>()
  const closeDialog = () => setDialog(undefined)
  const listKeys = () => setDialog(<KeysDialog onClose={closeDialog} />)
  // The viewer handles "?" itself, since it pauses its own shortcuts meanwhile and uses the dark theme.
  useHotkey('?', listKeys)
  return (
    <>
      <DropdownMenu
        prepare={UserMenuItems.preload}
        trigger={
          <Button
            variant="quiet"
            icon={<Avatar name={user.username} />}
            className="px-0.5! xl:pr-2.5!"
            onPointerEnter={UserMenuItems.preload}
            onFocus={UserMenuItems.preload}
          >
            <span className="sr-only">Account: </span>
            <span className="max-w-32 truncate max-xl:sr-only">{user.username}</span>
          </Button>
        }
      >
        <UserMenuItems user={user} onDialogChange={setDialog} onListKeys={listKeys} />
      </DropdownMenu>
      {dialog && <LazyBoundary onFailed={closeDialog}>{dialog}</LazyBoundary>}
    </>
  )
}
