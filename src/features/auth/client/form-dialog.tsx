import { type ComponentProps, type ReactNode, useId } from 'react'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/layers/dialog.tsx'

type FormDialogProps = {
  title: string
  description: string
  submitLabel: string
  isPending: boolean
  /** Spread from `useAuthForm`. */
  form: ComponentProps<'form'>
  onClose: () => void
  children: ReactNode
}

/** A dialog with a form about an account. */
export function FormDialog({ title, description, submitLabel, isPending, form, onClose, children }: FormDialogProps) {
  const formId = useId()
  return (
    <Dialog
      onClose={onClose}
      isLocked={isPending}
      size="sm"
      title={title}
      description={description}
      footer={
        <>
          <Button disabled={isPending} onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" form={formId} variant="primary" isPending={isPending}>
            {submitLabel}
          </Button>
        </>
      }
    >
      <form {...form} id={formId} noValidate className="flex flex-col gap-5">
        {children}
      </form>
    </Dialog>
  )
}
