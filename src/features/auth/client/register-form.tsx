import { ApiError } from '#platform/client/call.ts'
import { Field } from '#ui/field.tsx'
import { Input } from '#ui/input.tsx'
import { minPasswordLength, Registration } from '../contract.ts'
import { AuthForm, UsernameInput } from './auth-form.tsx'
import { useRegister } from './mutations.ts'
import { PasswordInput } from './password-input.tsx'
import { useAuthForm } from './use-auth-form.ts'

export function RegisterForm({ onLogin }: { onLogin: () => void }) {
  const registration = useRegister()
  const { form, errors, showError } = useAuthForm(Registration, (draft) =>
    registration.mutate(draft, {
      onError: (error) => {
        const taken = takenField(error)
        if (taken) showError(taken.field, taken.message)
      },
    }),
  )
  return (
    <AuthForm
      submitLabel="Create account"
      isPending={registration.isPending}
      form={form}
      other={{ question: 'Already registered?', answer: 'Login', onSelect: onLogin }}
    >
      <Field label="Username" error={errors?.username}>
        <UsernameInput name="username" />
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

/** The server names the field when a username or an email address belongs to somebody else. */
function takenField(error: Error): { field: 'username' | 'email'; message: string } | undefined {
  const body = error instanceof ApiError ? error.body : undefined
  if (typeof body !== 'object' || body === null || !('field' in body) || !('message' in body)) return undefined
  if (body.field !== 'username' && body.field !== 'email') return undefined
  return { field: body.field, message: String(body.message) }
}
