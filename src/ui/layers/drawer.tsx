import X from 'lucide-react/icons/x'
import { Close } from 'radix-ui/dialog'
import type { ReactNode } from 'react'
import { classNames } from '../class-names.ts'
import { IconButton } from '../icon-button.tsx'
import { Modal } from './modal.tsx'

type DrawerProps = {
  isOpen: boolean
  onClose: () => void
  label: string
  /** Shown left of the close button, e.g. a logo. */
  header?: ReactNode
  className?: string
  children: ReactNode
}

const drawerClasses = classNames(
  'inset-y-0 left-0 flex w-72 max-w-[85vw] flex-col bg-surface shadow-dialog',
  'data-[state=closed]:animate-drawer-out data-[state=open]:animate-drawer-in',
)

/** A panel that slides in from the left on narrow screens. */
export function Drawer({ isOpen, onClose, label, header, className, children }: DrawerProps) {
  return (
    <Modal isOpen={isOpen} onClose={onClose} label={label} className={drawerClasses}>
      <div className="flex h-14 shrink-0 items-center justify-between gap-3 pr-3 pl-4">
        <div className="flex min-w-0 items-center gap-2.5">{header}</div>
        <Close asChild>
          <IconButton label="Close" icon={<X />} hasTooltip={false} />
        </Close>
      </div>
      <div className={classNames('min-h-0 grow overflow-y-auto overscroll-contain px-3 pb-3', className)}>
        {children}
      </div>
    </Modal>
  )
}
