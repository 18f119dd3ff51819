import type { ReactNode } from 'react'
import { Button } from '../button.tsx'
import { Dialog } from './dialog.tsx'

type ConfirmDialogProps = {
  isOpen?: boolean
  onClose: () => void
  title: string
  /** Says what happens and what is lost. */
  description: ReactNode
  confirmLabel: string
  cancelLabel?: string
  tone?: 'danger' | 'neutral'
  isPending?: boolean
  onConfirm: () => void
  children?: ReactNode
}

/** A question before an irreversible action. The focus starts on the cancel button. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const {
    confirmLabel,
    cancelLabel = 'Cancel',
    tone = 'danger',
    isPending = false,
    onConfirm,
    children,
    ...dialog
  } = props
  return (
    <Dialog
      {...dialog}
      role="alertdialog"
      size="sm"
      isLocked={isPending}
      footer={
        <>
          <Button disabled={isPending} onClick={dialog.onClose}>
            {cancelLabel}
          </Button>
          <Button variant={tone === 'danger' ? 'danger' : 'primary'} isPending={isPending} onClick={onConfirm}>
            {confirmLabel}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  )
}
