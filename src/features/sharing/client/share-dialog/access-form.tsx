import { useState } from 'react'
import { PasswordInput } from '#features/auth/client/account-fields.tsx'
import { Button } from '#ui/button.tsx'
import { Field } from '#ui/forms/field.tsx'
import { Input } from '#ui/forms/input.tsx'
import { Switch } from '#ui/forms/switch.tsx'
import { minSharePasswordLength, type SharingOptions } from '../../contract.ts'
import { useChangeSharing } from '../mutations.ts'

/** The password, the expiry and whether downloads are allowed. Each change is saved on its own. */
export function AccessForm({ collectionId, options }: { collectionId: number; options: SharingOptions }) {
  const change = useChangeSharing(collectionId)
  const [password, setPassword] = useState('')
  const [isLeft, setIsLeft] = useState(false)
  const present = options.expiresAt ? toLocalInput(options.expiresAt) : ''
  const [expiry, setExpiry] = useState(present)
  const isPast = expiry !== '' && expiry !== present && new Date(expiry).getTime() <= Date.now()
  const isShort = password !== '' && password.length < minSharePasswordLength
  const atLeast = `At least ${minSharePasswordLength} characters.`
  return (
    <div className="space-y-5">
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          change.mutate({ password }, { onSuccess: () => setPassword('') })
        }}
        className="space-y-2"
      >
        <Field
          label="Link password"
          isOptional
          // The error appears only after the field loses the focus, not at the first letter.
          error={isShort && isLeft ? atLeast : undefined}
          hint={
            options.hasPassword
              ? 'A password is set. Anyone with it has access until you change it.'
              : `Without a password, the link alone gives access. ${atLeast}`
          }
        >
          <PasswordInput
            required={false}
            autoComplete="new-password"
            value={password}
            onFocus={() => setIsLeft(false)}
            onBlur={() => setIsLeft(true)}
            onChange={(event) => setPassword(event.target.value)}
          />
        </Field>
        <div className="flex gap-2">
          <Button type="submit" isInactive={password.length < minSharePasswordLength || change.isPending}>
            {options.hasPassword ? 'Change password' : 'Set password'}
          </Button>
          {options.hasPassword && (
            <Button variant="quiet" onClick={() => change.mutate({ password: null })}>
              Remove password
            </Button>
          )}
        </div>
      </form>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          change.mutate({ expiresAt: new Date(expiry).toISOString() })
        }}
        className="space-y-2"
      >
        <Field
          label="Expires"
          isOptional
          error={isPast ? 'Choose a future time.' : undefined}
          hint={options.isExpired ? 'The link has expired and no longer works.' : 'The link stops working then.'}
        >
          <Input
            type="datetime-local"
            min={toLocalInput(new Date().toISOString())}
            value={expiry}
            onChange={(event) => setExpiry(event.target.value)}
          />
        </Field>
        <div className="flex gap-2">
          <Button type="submit" isInactive={expiry === '' || isPast || change.isPending}>
            Set expiry
          </Button>
          {options.expiresAt && (
            <Button
              variant="quiet"
              onClick={() => change.mutate({ expiresAt: null }, { onSuccess: () => setExpiry('') })}
            >
              Never expire
            </Button>
          )}
        </div>
      </form>
      <Switch
        label="Allow downloads"
        hint="Visitors can download the original files one at a time or all as a ZIP."
        checked={options.allowsDownload}
        onCheckedChange={(allowsDownload) => change.mutateAsync({ allowsDownload })}
      />
    </div>
  )
}

/** A `datetime-local` input needs local time without a zone. */
function toLocalInput(iso: string) {
  const date = new Date(iso)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
