import Eye from 'lucide-react/icons/eye'
import EyeOff from 'lucide-react/icons/eye-off'
import { useState } from 'react'
import { Input, type InputProps } from '#ui/forms/input.tsx'
import { IconButton } from '#ui/icon-button.tsx'
import { maxPasswordLength } from '../contract.ts'

/** A password, with a way to see what was typed. */
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
