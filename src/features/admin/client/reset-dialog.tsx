import { type FormEvent, useState } from 'react'
import { Button } from '#ui/button.tsx'
import { Field } from '#ui/forms/field.tsx'
import { Input } from '#ui/forms/input.tsx'
import { Dialog } from '#ui/layers/dialog.tsx'
import { useResetDatabase } from './mutations.ts'

const word = 'RESET'

/** What cannot be taken back is typed, not clicked. */
export function ResetDialog({ onClose }: { onClose: () => void }) {
  const [typed, setTyped] = useState('')
  const reset = useResetDatabase()
  const isConfirmed = typed.trim() === word
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isConfirmed) reset.mutate(undefined, { onSettled: onClose })
  }
  return (
    <Dialog
      onClose={onClose}
      isLocked={reset.isPending}
      role="alertdialog"
      size="sm"
      title="Reset the database?"
      description="All users, media and collections are permanently deleted. Your account and the backups are kept."
      onSubmit={submit}
      footer={
        <>
          <Button disabled={reset.isPending} onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" variant="danger" disabled={!isConfirmed} isPending={reset.isPending}>
            Delete everything
          </Button>
        </>
      }
    >
      <Field label={`Type ${word} to confirm`}>
        <Input value={typed} autoComplete="off" spellCheck={false} onChange={(event) => setTyped(event.target.value)} />
      </Field>
    </Dialog>
  )
}
