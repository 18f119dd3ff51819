import { type FormEvent, useState } from 'react'
import { PasswordInput } from '#features/auth/client/password-input.tsx'
import { minPasswordLength } from '#features/auth/contract.ts'
import { Button } from '#ui/button.tsx'
import { Field } from '#ui/forms/field.tsx'
import { Dialog } from '#ui/layers/dialog.tsx'
import type { AdminUser } from '../contract.ts'
import { useResetPassword } from './mutations.ts'

export function ResetPasswordDialog({ user, onClose }: { user: AdminUser; onClose: () => void }) {
  const [newPassword, setNewPassword] = useState('')
  const reset = useResetPassword()
  const isLongEnough = newPassword.length >= minPasswordLength
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isLongEnough) reset.mutate({ user, newPassword }, { onSuccess: onClose })
  }
  return (
    <Dialog
      onClose={onClose}
      isLocked={reset.isPending}
      size="sm"
      title={`Reset the password for ${user.username}`}
      description="They will be signed out everywhere and need the new password to sign in."
      onSubmit={submit}
      footer={
        <>
          <Button disabled={reset.isPending} onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" variant="primary" disabled={!isLongEnough} isPending={reset.isPending}>
            Reset password
          </Button>
        </>
      }
    >
      <Field label="New password">
        <PasswordInput
          autoComplete="new-password"
          placeholder={`min ${minPasswordLength} characters`}
          value={newPassword}
          onChange={(event) => setNewPassword(event.target.value)}
        />
      </Field>
    </Dialog>
  )
}
