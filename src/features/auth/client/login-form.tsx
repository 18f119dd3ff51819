import { Field } from '#ui/forms/field.tsx'
import { Credentials } from '../contract.ts'
import { UsernameInput } from './account-fields.tsx'
import { AuthForm } from './auth-form.tsx'
import { useLogin } from './mutations.ts'
import { PasswordInput } from './password-input.tsx'
import { useAuthForm } from './use-auth-form.ts'

export function LoginForm({ isFocused, onRegister }: { isFocused: boolean; onRegister?: () => void }) {
  const login = useLogin()
  const { form, errors, inputOf, showError } = useAuthForm(Credentials, (credentials) =>
    login.mutate(credentials, {
      onError: (error) => {
        // Most often it is the password that was mistyped: the next try starts there.
        showError(error, 'password')
        inputOf('password').select()
      },
    }),
  )
  return (
    <AuthForm
      submitLabel="Login"
      isPending={login.isPending}
      form={form}
      other={onRegister && { question: 'No account yet?', answer: 'Register', onSelect: onRegister }}
    >
      <Field label="Username" error={errors?.username}>
        <UsernameInput name="username" autoFocus={isFocused} />
      </Field>
      <Field label="Password" error={errors?.password}>
        <PasswordInput name="password" autoComplete="current-password" />
      </Field>
    </AuthForm>
  )
}
