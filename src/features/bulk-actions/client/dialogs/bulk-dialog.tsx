import type { FormEvent, ReactNode } from 'react'
import { useRunProgress } from '#platform/client/run-progress.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/layers/dialog.tsx'
import { RunProgress } from '#ui/run-progress.tsx'
import { StopButton } from '#ui/stop-button.tsx'

export type BulkDialogProps = {
  mediaIds: readonly number[]
  onClose: () => void
  /** The failed items stay selected, so repeating the action retries only those. */
  onDone: (failedIds: readonly number[]) => void
}

export const failedIn = ({ errors }: { errors: readonly { id: number }[] }) => errors.map(({ id }) => id)

type FrameProps = {
  title: string
  description?: ReactNode
  submitLabel: string
  tone?: 'primary' | 'danger'
  isDisabled?: boolean
  isPending: boolean
  runId?: string
  progress?: { done: number; total: number }
  /** Set if the run can be stopped before it ends. */
  onStop?: () => void
  /** The run has been told to stop and is finishing its current item. */
  isStopping?: boolean
  onClose: () => void
  onSubmit: () => void
  children?: ReactNode
}

/** The layout shared by all bulk dialogs: a question, a submit button that names the count, and progress while it runs. */
export function BulkDialog(props: FrameProps) {
  const {
    title,
    description,
    submitLabel,
    tone = 'primary',
    isDisabled,
    isPending,
    runId,
    onStop,
    isStopping = false,
    onClose,
    onSubmit,
    children,
  } = props
  const live = useRunProgress(runId)
  const progress = props.progress ?? live
  const isCounted = isPending && progress !== undefined && progress.total > 1

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!isDisabled && !isPending) onSubmit()
  }

  return (
    <Dialog
      onClose={onClose}
      isLocked={isPending}
      title={title}
      description={description}
      onSubmit={submit}
      footer={
        <>
          {isPending && onStop ? (
            <StopButton isStopping={isStopping} onStop={onStop} />
          ) : (
            <Button onClick={onClose} disabled={isPending}>
              Cancel
            </Button>
          )}
          <Button type="submit" variant={tone} disabled={isDisabled} isPending={isPending}>
            {submitLabel}
          </Button>
        </>
      }
    >
      {(children || isCounted) && (
        <div className="space-y-4">
          {children}
          {isCounted && <RunProgress label="Working" progress={progress} total={progress.total} />}
        </div>
      )}
    </Dialog>
  )
}
