import { type ReactNode, useState } from 'react'
import type { User } from '#features/auth/contract.ts'
import { libraryCommands } from '#features/media/client/library-commands.ts'
import { Avatar } from '#ui/avatar.tsx'
import { Button } from '#ui/button.tsx'
import { collectTyping, type TypedAhead } from '#ui/commands/collect-typing.ts'
import { type Offer, offeredCommands } from '#ui/commands/use-command.ts'
import { useHotkey } from '#ui/keys/use-hotkey.ts'
import { isModalOpen } from '#ui/layers/open-modals.ts'
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
const CommandPalette = lazyComponent(
  () => import('./command-palette.tsx'),
  ({ CommandPalette }) => CommandPalette,
)

/**
 * The button renders at once; the menu's items load when the user hovers or focuses it. "?" opens the list of shortcuts and
 * Ctrl+K the palette on every screen, as the menu does.
 */
export function UserMenu({ user }: { user: User }) {
  const [dialog, setDialog] = useState<ReactNode>()
  const [palette, setPalette] = useState<{ offers: Offer[]; takeTyped: () => TypedAhead }>()
  const closeDialog = () => setDialog(undefined)
  const closePalette = () => {
    palette?.takeTyped()
    setPalette(undefined)
  }
  const listKeys = () => setDialog(<KeysDialog onClose={closeDialog} />)
  const openPalette = () => {
    const isInModal = isModalOpen()
    // A dialog with a form keeps what was typed; the viewer can be left.
    if (isInModal && !document.querySelector('[data-takes-commands]')) return
    setPalette({ offers: offeredCommands(isInModal), takeTyped: collectTyping() })
  }
  // The viewer handles "?" itself, since it pauses its own shortcuts meanwhile and uses the dark theme.
  useHotkey(libraryCommands.shortcuts.hotkey, listKeys)
  useHotkey(libraryCommands.palette.hotkey, palette ? closePalette : openPalette, {
    worksInModal: true,
    worksWhileTyping: true,
  })
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
        <UserMenuItems user={user} onDialogChange={setDialog} onListKeys={listKeys} onOpenPalette={openPalette} />
      </DropdownMenu>
      {dialog && <LazyBoundary onFailed={closeDialog}>{dialog}</LazyBoundary>}
      {palette && (
        <LazyBoundary onFailed={closePalette}>
          <CommandPalette
            user={user}
            {...palette}
            onClose={closePalette}
            onDialogChange={setDialog}
            onListKeys={listKeys}
          />
        </LazyBoundary>
      )}
    </>
  )
}
