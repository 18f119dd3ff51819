import { AccountFields } from '#features/auth/client/account-fields.tsx'
import { FormDialog } from '#features/auth/client/form-dialog.tsx'
import { useAuthForm } from '#features/auth/client/use-auth-form.ts'
import { Registration } from '#features/auth/contract.ts'
import { useAddUser } from './mutations.ts'

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
