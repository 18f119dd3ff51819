import { Field } from '#ui/forms/field.tsx'
import { Input } from '#ui/forms/input.tsx'
import { minPasswordLength, Registration } from '../contract.ts'
import { AuthForm, UsernameInput } from './auth-form.tsx'
import { useRegister } from './mutations.ts'
import { PasswordInput } from './password-input.tsx'
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
      <Field label="Username" error={errors?.username}>
        <UsernameInput name="username" autoFocus={isFocused} />
      </Field>
      <Field label="Email" error={errors?.email}>
        <Input name="email" type="email" autoComplete="email" required maxLength={254} />
      </Field>
      <Field
        label="Password"
        error={errors?.password}
        hint={errors?.password ? undefined : `At least ${minPasswordLength} characters.`}
      >
        <PasswordInput name="password" autoComplete="new-password" />
      </Field>
    </AuthForm>
  )
}
