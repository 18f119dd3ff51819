import { Drawer } from '#ui/layers/drawer.tsx'
import { Logo } from '#ui/logo.tsx'
import { Sidebar } from './sidebar.tsx'

type SidebarDrawerProps = { isOpen: boolean; onClose: () => void }

/** The sidebar on a phone; selecting an entry closes it. */
export function SidebarDrawer({ isOpen, onClose }: SidebarDrawerProps) {
  const mark = (
    <>
      <Logo />
      <span className="font-semibold text-lg tracking-tight">Albumen</span>
    </>
  )
  return (
    <Drawer isOpen={isOpen} onClose={onClose} label="Menu" header={mark} className="flex flex-col pt-1">
      <Sidebar className="grow" onSelect={onClose} />
    </Drawer>
  )
}
