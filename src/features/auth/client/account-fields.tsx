import Eye from 'lucide-react/icons/eye'
import EyeOff from 'lucide-react/icons/eye-off'
import { type ComponentProps, useState } from 'react'
import { Field } from '#ui/forms/field.tsx'
import { Input, type InputProps } from '#ui/forms/input.tsx'
import { IconButton } from '#ui/icon-button.tsx'
import { maxPasswordLength, minPasswordLength, type Registration } from '../contract.ts'

type AccountFieldsProps = { errors?: Partial<Record<keyof Registration, string>>; isFocused?: boolean }

/** The fields of a new account, for registration and for administrators. */
export function AccountFields({ errors, isFocused }: AccountFieldsProps) {
  return (
    <>
      <Field label="Username" error={errors?.username}>
        <UsernameInput name="username" autoFocus={isFocused} />
      </Field>
      <Field label="Email" error={errors?.email}>
        <Input name="email" type="email" autoComplete="email" required maxLength={254} />
      </Field>
      <NewPasswordField label="Password" name="password" error={errors?.password} />
    </>
  )
}

export function NewPasswordField({ label, name, error }: { label: string; name: string; error?: string }) {
  return (
    <Field label={label} error={error} hint={error ? undefined : `At least ${minPasswordLength} characters.`}>
      <PasswordInput name={name} autoComplete="new-password" />
    </Field>
  )
}

export function UsernameInput(props: ComponentProps<typeof Input>) {
  return <Input {...props} autoComplete="username" autoCapitalize="none" spellCheck={false} required maxLength={64} />
}

/** A password field with a button that shows the password. */
export function PasswordInput(props: Omit<InputProps, 'type' | 'trailing'>) {
  const [isShown, setIsShown] = useState(false)
  return (
    <Input
      required
      {...props}
      type={isShown ? 'text' : 'password'}
      autoCapitalize="none"
      spellCheck={false}
      maxLength={maxPasswordLength}
      trailing={
        <IconButton
          label={isShown ? 'Hide password' : 'Show password'}
          icon={isShown ? <EyeOff /> : <Eye />}
          size="sm"
          onClick={() => setIsShown(!isShown)}
        />
      }
    />
  )
}
