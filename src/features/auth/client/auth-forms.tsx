import type { ComponentProps, ReactNode } from 'react'
import { Button } from '#ui/button.tsx'
import { Field } from '#ui/forms/field.tsx'
import { Credentials, Registration } from '../contract.ts'
import { AccountFields, PasswordInput, UsernameInput } from './account-fields.tsx'
import { useLogin, useRegister } from './mutations.ts'
import { useAuthForm } from './use-auth-form.ts'

type AuthFormProps = {
  submitLabel: string
  isPending: boolean
  form: ComponentProps<'form'>
  /** Switches to the other form; absent while registration is closed. */
  other?: ComponentProps<typeof FormSwitch>
  children: ReactNode
}

/** The shared layout of signing in and registering: fields, one button, and a link to the other form. */
function AuthForm({ submitLabel, isPending, form, other, children }: AuthFormProps) {
  return (
    <form {...form} noValidate className="flex flex-col gap-5">
      {children}
      <Button type="submit" variant="primary" size="lg" isPending={isPending}>
        {submitLabel}
      </Button>
      {other ? (
        <FormSwitch {...other} />
      ) : (
        <p className="text-center text-muted text-sm">No account yet? Please ask an administrator.</p>
      )}
    </form>
  )
}

type FormSwitchProps = { question: string; answer: string; onSelect: () => void }

/** The link to the other form. */
function FormSwitch({ question, answer, onSelect }: FormSwitchProps) {
  return (
    <p className="text-center text-muted text-sm">
      {question}{' '}
      <button
        type="button"
        tabIndex={0}
        onClick={onSelect}
        className="rounded-sm font-medium text-ink underline decoration-line-strong underline-offset-4 hover:decoration-current"
      >
        {answer}
      </button>
    </p>
  )
}

export function LoginForm({ isFocused, onRegister }: { isFocused: boolean; onRegister?: () => void }) {
  const login = useLogin()
  const { form, errors, inputOf, showError } = useAuthForm(Credentials, (credentials) =>
    login.mutate(credentials, {
      onError: (error) => {
        // A mistyped password is the most common error, so its field gets the focus.
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
