import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { ApiError } from '#platform/client/call.ts'
import { Field } from '#ui/field.tsx'
import { Input } from '#ui/input.tsx'
import { minPasswordLength, Registration } from '../contract.ts'
import { AuthForm, UsernameInput } from './auth-form.tsx'
import { useRegister } from './mutations.ts'
import { PasswordInput } from './password-input.tsx'

export function RegisterForm({ onLogin }: { onLogin: () => void }) {
  const registration = useRegister()
  const { register, handleSubmit, setError, formState } = useForm<Registration>({
    resolver: zodResolver(Registration),
    defaultValues: { username: '', email: '', password: '' },
  })
  const { errors } = formState
  const submit = handleSubmit((draft) =>
    registration.mutate(draft, {
      onError: (error) => {
        const taken = takenField(error)
        if (taken) setError(taken.field, { message: taken.message }, { shouldFocus: true })
      },
    }),
  )
  return (
    <AuthForm
      submitLabel="Create account"
      isPending={registration.isPending}
      onSubmit={submit}
      other={{ question: 'Already registered?', answer: 'Login', onSelect: onLogin }}
    >
      <Field label="Username" error={errors.username?.message}>
        <UsernameInput {...register('username')} />
      </Field>
      <Field label="Email" error={errors.email?.message}>
        <Input {...register('email')} type="email" autoComplete="email" required maxLength={254} />
      </Field>
      <Field
        label="Password"
        error={errors.password?.message}
        hint={errors.password ? undefined : `At least ${minPasswordLength} characters.`}
      >
        <PasswordInput {...register('password')} autoComplete="new-password" />
      </Field>
    </AuthForm>
  )
}

/** The server names the field when a username or an email address belongs to somebody else. */
function takenField(error: Error): { field: 'username' | 'email'; message: string } | undefined {
  const body = error instanceof ApiError ? error.body : undefined
  if (typeof body !== 'object' || body === null || !('field' in body) || !('message' in body)) return undefined
  if (body.field !== 'username' && body.field !== 'email') return undefined
  return { field: body.field, message: String(body.message) }
}
