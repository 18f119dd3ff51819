import { Field } from '#ui/forms/field.tsx'
import { PasswordChange, type User } from '../contract.ts'
import { NewPasswordField, PasswordInput } from './account-fields.tsx'
import { FormDialog } from './form-dialog.tsx'
import { useChangePassword } from './mutations.ts'
import { useAuthForm } from './use-auth-form.ts'

export function ChangePasswordDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const change = useChangePassword()
  const { form, errors, showError } = useAuthForm(PasswordChange, (wanted) =>
    change.mutate(wanted, { onSuccess: onClose, onError: (error) => showError(error) }),
  )
  return (
    <FormDialog
      title="Change password"
      description="You'll be signed out on other devices."
      submitLabel="Change password"
      isPending={change.isPending}
      form={form}
      onClose={onClose}
    >
      {/* Password managers need the username. */}
      <input type="text" autoComplete="username" value={user.username} readOnly hidden />
      <Field label="Current password" error={errors?.currentPassword}>
        <PasswordInput name="currentPassword" autoComplete="current-password" />
      </Field>
      <NewPasswordField label="New password" name="newPassword" error={errors?.newPassword} />
    </FormDialog>
  )
}
