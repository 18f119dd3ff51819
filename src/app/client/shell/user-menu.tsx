import { type ReactNode, Suspense, useState } from 'react'
import type { User } from '#features/auth/contract.ts'
import { Avatar } from '#ui/avatar.tsx'
import { Button } from '#ui/button.tsx'
import { DropdownMenu } from '#ui/dropdown-menu.tsx'
import { lazyPart } from '#ui/lazy-part.ts'

const loadItems = async () => (await import('./user-menu-items.tsx')).UserMenuItems
const UserMenuItems = lazyPart(loadItems)

/** The button is there at once; what the menu holds comes when somebody is about to press it. */
export function UserMenu({ user }: { user: User }) {
  const [dialog, setDialog] = useState<ReactNode>()
  // What does not arrive is asked for again when it is shown, and then its absence is told.
  const preload = () => void loadItems().catch(() => undefined)
  return (
    <>
      <DropdownMenu
        align="end"
        trigger={
          <Button
            variant="quiet"
            icon={<Avatar name={user.username} />}
            aria-label={`Account: ${user.username}`}
            className="px-0.5! xl:pr-2.5!"
            onPointerEnter={preload}
            onFocus={preload}
          >
            <span className="max-w-32 truncate max-xl:hidden">{user.username}</span>
          </Button>
        }
      >
        <UserMenuItems user={user} onDialogChange={setDialog} />
      </DropdownMenu>
      <Suspense>{dialog}</Suspense>
    </>
  )
}
