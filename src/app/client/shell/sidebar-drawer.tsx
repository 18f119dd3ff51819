import { Drawer } from '#ui/drawer.tsx'
import { Logo } from '#ui/logo.tsx'
import { Sidebar } from './sidebar.tsx'

type SidebarDrawerProps = { isOpen: boolean; onOpenChange: (isOpen: boolean) => void }

/** The sidebar on a phone; whatever is chosen closes it. */
export function SidebarDrawer({ isOpen, onOpenChange }: SidebarDrawerProps) {
  return (
    <Drawer isOpen={isOpen} onOpenChange={onOpenChange} label="Menu" className="flex flex-col gap-4">
      <div className="flex h-8 items-center gap-2.5 px-1 font-semibold text-lg tracking-tight">
        <Logo />
        Albumen
      </div>
      <Sidebar className="grow" onSelect={() => onOpenChange(false)} />
    </Drawer>
  )
}
