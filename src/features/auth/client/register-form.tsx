import { Registration } from '../contract.ts'
import { AccountFields } from './account-fields.tsx'
import { AuthForm } from './auth-form.tsx'
import { useRegister } from './mutations.ts'
import { useAuthForm } from './use-auth-form.ts'

export function RegisterForm({ isFocused, onLogin }: { isFocused: boolean; onLogin: () => void }) {
  const registration = useRegister()
  const { form, errors, showError } = useAuthForm(Registration, (draft) =>
    registration.mutate(draft, { onError: (error) => showError(error) }),
  )
  return (
    <AuthForm
      submitLabel="Create account"
      isPending={registration.isPending}
      form={form}
      other={{ question: 'Already registered?', answer: 'Login', onSelect: onLogin }}
    >
      <AccountFields errors={errors} isFocused={isFocused} />
    </AuthForm>
  )
}
