import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { Field } from '#ui/field.tsx'
import { Credentials } from '../contract.ts'
import { AuthForm, UsernameInput } from './auth-form.tsx'
import { useLogin } from './mutations.ts'
import { PasswordInput } from './password-input.tsx'

export function LoginForm({ onRegister }: { onRegister: () => void }) {
  const login = useLogin()
  const { register, handleSubmit, setFocus, formState } = useForm<Credentials>({
    resolver: zodResolver(Credentials),
    defaultValues: { username: '', password: '' },
  })
  const { errors } = formState
  // Most often it is the password that was mistyped: the next try starts there.
  const submit = handleSubmit((credentials) =>
    login.mutate(credentials, { onError: () => setFocus('password', { shouldSelect: true }) }),
  )
  return (
    <AuthForm
      submitLabel="Login"
      isPending={login.isPending}
      onSubmit={submit}
      other={{ question: 'No account yet?', answer: 'Register', onSelect: onRegister }}
    >
      <Field label="Username" error={errors.username?.message}>
        <UsernameInput {...register('username')} />
      </Field>
      <Field label="Password" error={errors.password?.message}>
        <PasswordInput {...register('password')} autoComplete="current-password" />
      </Field>
    </AuthForm>
  )
}
