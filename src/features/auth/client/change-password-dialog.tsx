import { useId } from 'react'
import { Button } from '#ui/button.tsx'
import { Field } from '#ui/forms/field.tsx'
import { Dialog } from '#ui/layers/dialog.tsx'
import { minPasswordLength, PasswordChange, type User } from '../contract.ts'
import { useChangePassword } from './mutations.ts'
import { PasswordInput } from './password-input.tsx'
import { useAuthForm } from './use-auth-form.ts'

export function ChangePasswordDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const formId = useId()
  const change = useChangePassword()
  const { form, errors, showError } = useAuthForm(PasswordChange, (wanted) =>
    change.mutate(wanted, { onSuccess: onClose, onError: (error) => showError(error) }),
  )
  return (
    <Dialog
      onClose={onClose}
      isLocked={change.isPending}
      size="sm"
      title="Change password"
      description="Everywhere else you are signed out, and sign in with the new one."
      footer={
        <>
          <Button disabled={change.isPending} onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" form={formId} variant="primary" isPending={change.isPending}>
            Change password
          </Button>
        </>
      }
    >
      <form {...form} id={formId} noValidate className="flex flex-col gap-5">
        {/* Tells password managers whose password it is. */}
        <input type="text" autoComplete="username" value={user.username} readOnly hidden />
        <Field label="Current password" error={errors?.currentPassword}>
          <PasswordInput name="currentPassword" autoComplete="current-password" />
        </Field>
        <Field
          label="New password"
          error={errors?.newPassword}
          hint={errors?.newPassword ? undefined : `At least ${minPasswordLength} characters.`}
        >
          <PasswordInput name="newPassword" autoComplete="new-password" />
        </Field>
      </form>
    </Dialog>
  )
}
