import type { ComponentProps, ReactNode } from 'react'
import { Button } from '#ui/button.tsx'
import { FormSwitch } from './form-switch.tsx'

type AuthFormProps = {
  submitLabel: string
  isPending: boolean
  form: ComponentProps<'form'>
  /** The way to the other form; without one, nobody can register. */
  other?: ComponentProps<typeof FormSwitch>
  children: ReactNode
}

/** What signing in and registering share: fields, one button, and the line that leads to the other one. */
export function AuthForm({ submitLabel, isPending, form, other, children }: AuthFormProps) {
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
