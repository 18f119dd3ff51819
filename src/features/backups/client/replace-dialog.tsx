import type { ReactNode } from 'react'
import { bytesInWords } from '#shared/bytes.ts'
import { averageSpeed, describeTransfer, type SpeedSample } from '#shared/transfer-speed.ts'
import { ConfirmDialog } from '#ui/layers/confirm-dialog.tsx'
import { Progress } from '#ui/progress.tsx'

type ReplaceDialogProps = {
  file: File
  title: string
  /** Says what will be lost. */
  description: string
  isPending: boolean
  samples: readonly SpeedSample[]
  onConfirm: () => void
  onClose: () => void
  /** The server's progress, once it has received the file. */
  children: ReactNode
}

/** Confirms the replacement, then shows the progress of the upload and of the restore. */
export function ReplaceDialog(props: ReplaceDialogProps) {
  const { file, title, description, isPending, samples, onConfirm, onClose, children } = props
  const sentBytes = samples.at(-1)?.bytes ?? 0
  return (
    <ConfirmDialog
      onClose={onClose}
      title={title}
      description={description}
      confirmLabel="Replace everything"
      isPending={isPending}
      onConfirm={onConfirm}
    >
      {isPending && sentBytes < file.size && (
        <Progress
          label="Sending"
          value={(100 * sentBytes) / file.size}
          detail={sendingWords(file.size, sentBytes, samples)}
        />
      )}
      {isPending && sentBytes >= file.size && children}
    </ConfirmDialog>
  )
}

/** "31.0 MB of 62.0 MB · 3.1 MB/s · 10 s left". */
function sendingWords(size: number, sentBytes: number, samples: readonly SpeedSample[]) {
  const share = [sentBytes, size].map(bytesInWords).join(' of ')
  return [share, describeTransfer(averageSpeed(samples), size - sentBytes)].filter(Boolean).join(' · ')
}
