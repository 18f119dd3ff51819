import Check from 'lucide-react/icons/check'
import Copy from 'lucide-react/icons/copy'
import { type Ref, useEffect, useState } from 'react'
import { Button } from './button.tsx'
import type { ButtonSize, ButtonVariant } from './button-classes.ts'
import { copyText } from './copy-text.ts'
import { IconButton } from './icon-button.tsx'

const confirmationMs = 2000

type CopyButtonProps = {
  ref?: Ref<HTMLButtonElement>
  text: string
  label?: string
  isIconOnly?: boolean
  variant?: ButtonVariant
  size?: ButtonSize
  onCopied?: () => void
  onFailed?: () => void
}

/** Copies a text and shows "Copied" for two seconds. */
export function CopyButton(props: CopyButtonProps) {
  const { ref, text, label = 'Copy', isIconOnly = false, variant, size, onCopied, onFailed } = props
  const [isCopied, setIsCopied] = useState(false)

  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setIsCopied(false), confirmationMs)
    return () => clearTimeout(timer)
  }, [isCopied])

  const copy = async () => {
    try {
      await copyText(text)
    } catch {
      return onFailed?.()
    }
    setIsCopied(true)
    onCopied?.()
  }

  const shownLabel = isCopied ? 'Copied' : label
  const icon = isCopied ? <Check /> : <Copy />
  return (
    <>
      {isIconOnly ? (
        <IconButton ref={ref} label={shownLabel} icon={icon} variant={variant} size={size} onClick={copy} />
      ) : (
        <Button ref={ref} icon={icon} variant={variant} size={size} onClick={copy}>
          {shownLabel}
        </Button>
      )}
      <span role="status" className="sr-only">
        {isCopied ? 'Copied' : ''}
      </span>
    </>
  )
}
