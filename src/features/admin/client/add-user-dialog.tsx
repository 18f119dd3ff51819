import { useId } from 'react'
import { UsernameInput } from '#features/auth/client/auth-form.tsx'
import { PasswordInput } from '#features/auth/client/password-input.tsx'
import { useAuthForm } from '#features/auth/client/use-auth-form.ts'
import { minPasswordLength, Registration } from '#features/auth/contract.ts'
import { Button } from '#ui/button.tsx'
import { Field } from '#ui/forms/field.tsx'
import { Input } from '#ui/forms/input.tsx'
import { Dialog } from '#ui/layers/dialog.tsx'
import { useAddUser } from './mutations.ts'

export function AddUserDialog({ onClose }: { onClose: () => void }) {
  const formId = useId()
  const add = useAddUser()
  const { form, errors, showError } = useAuthForm(Registration, (draft) =>
    add.mutate(draft, { onSuccess: onClose, onError: (error) => showError(error) }),
  )
  return (
    <Dialog
      onClose={onClose}
      isLocked={add.isPending}
      size="sm"
      title="Add a user"
      description="Tell them the username and the password; they can change the password once they are in."
      footer={
        <>
          <Button disabled={add.isPending} onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" form={formId} variant="primary" isPending={add.isPending}>
            Add user
          </Button>
        </>
      }
    >
      <form {...form} id={formId} noValidate className="flex flex-col gap-5">
        <Field label="Username" error={errors?.username}>
          <UsernameInput name="username" />
        </Field>
        <Field label="Email" error={errors?.email}>
          <Input name="email" type="email" required maxLength={254} />
        </Field>
        <Field
          label="Password"
          error={errors?.password}
          hint={errors?.password ? undefined : `At least ${minPasswordLength} characters.`}
        >
          <PasswordInput name="password" autoComplete="new-password" />
        </Field>
      </form>
    </Dialog>
  )
}
