import { Dialog } from '#ui/dialog.tsx'

type UploadDialogProps = { isOpen: boolean; onOpenChange: (isOpen: boolean) => void }

export function UploadDialog({ isOpen, onOpenChange }: UploadDialogProps) {
  return <Dialog isOpen={isOpen} onOpenChange={onOpenChange} title="Upload Media" />
}
