import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { Button } from '#ui/button.tsx'
import { Field } from '#ui/field.tsx'
import { Input } from '#ui/input.tsx'
import { Credentials } from '../contract.ts'
import { FormSwitch } from './form-switch.tsx'
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
    <form noValidate onSubmit={submit} className="flex flex-col gap-5">
      <Field label="Username" error={errors.username?.message}>
        <Input
          {...register('username')}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
          maxLength={64}
        />
      </Field>
      <Field label="Password" error={errors.password?.message}>
        <PasswordInput {...register('password')} autoComplete="current-password" />
      </Field>
      <Button type="submit" variant="primary" size="lg" isPending={login.isPending}>
        Login
      </Button>
      <FormSwitch question="No account yet?" answer="Register" onSelect={onRegister} />
    </form>
  )
}
