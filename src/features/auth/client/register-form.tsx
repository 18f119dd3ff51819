import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { ApiError } from '#platform/client/call.ts'
import { Button } from '#ui/button.tsx'
import { Field } from '#ui/field.tsx'
import { Input } from '#ui/input.tsx'
import { minPasswordLength, Registration } from '../contract.ts'
import { FormSwitch } from './form-switch.tsx'
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
      <Button type="submit" variant="primary" size="lg" isPending={registration.isPending}>
        Create account
      </Button>
      <FormSwitch question="Already registered?" answer="Login" onSelect={onLogin} />
    </form>
  )
}

/** The server names the field when a username or an email address belongs to somebody else. */
function takenField(error: Error): { field: 'username' | 'email'; message: string } | undefined {
  const body = error instanceof ApiError ? error.body : undefined
  if (typeof body !== 'object' || body === null || !('field' in body) || !('message' in body)) return undefined
  if (body.field !== 'username' && body.field !== 'email') return undefined
  return { field: body.field, message: String(body.message) }
}
