import { type FormEvent, useState } from 'react'
import { AccountFields, PasswordInput } from '#features/auth/client/account-fields.tsx'
import { FormDialog } from '#features/auth/client/form-dialog.tsx'
import { useAuthForm } from '#features/auth/client/use-auth-form.ts'
import { minPasswordLength, Registration } from '#features/auth/contract.ts'
import { countOf } from '#shared/count.ts'
import { Button } from '#ui/button.tsx'
import { Field } from '#ui/forms/field.tsx'
import { ConfirmDialog } from '#ui/layers/confirm-dialog.tsx'
import { Dialog } from '#ui/layers/dialog.tsx'
import type { AdminUser } from '../contract.ts'
import { useAddUser, useDeleteUser, useResetPassword } from './mutations.ts'

export function AddUserDialog({ onClose }: { onClose: () => void }) {
  const add = useAddUser()
  const { form, errors, showError } = useAuthForm(Registration, (draft) =>
    add.mutate(draft, { onSuccess: onClose, onError: (error) => showError(error) }),
  )
  return (
    <FormDialog
      title="Add a user"
      description="Share the username and password with them. They can change the password after signing in."
      submitLabel="Add user"
      isPending={add.isPending}
      form={form}
      onClose={onClose}
    >
      <AccountFields errors={errors} />
    </FormDialog>
  )
}

export function DeleteUserDialog({ user, onClose }: { user: AdminUser; onClose: () => void }) {
  const remove = useDeleteUser()
  const losses = `${countOf(user.media_count, 'item')} and ${countOf(user.collection_count, 'collection')}`
  return (
    <ConfirmDialog
      onClose={onClose}
      title={`Delete ${user.username}?`}
      description={`The account is permanently deleted, with ${losses}. This cannot be undone.`}
      confirmLabel="Delete user"
      isPending={remove.isPending}
      onConfirm={() => remove.mutate(user, { onSettled: onClose })}
    />
  )
}

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
