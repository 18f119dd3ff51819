import type { ComponentProps, MouseEvent, ReactNode } from 'react'
import { type ButtonSize, type ButtonVariant, buttonClasses } from './button-classes.ts'
import { classNames } from './class-names.ts'
import { Spinner } from './spinner.tsx'

export type ButtonProps = ComponentProps<'button'> & {
  variant?: ButtonVariant
  size?: ButtonSize
  icon?: ReactNode
  isPending?: boolean
  /** Like `disabled`, but the button keeps the focus. */
  isInactive?: boolean
}

/**
 * While pending, the button keeps its width, label and focus, ignores clicks, and shows a spinner in the icon's place.
 *
 * [Note: Buttons in Safari] Safari focuses a clicked button, and includes it in the tab order, only when it has a `tabIndex`,
 * so every button has one. Otherwise a dialog could not return the focus to the button that opened it.
 */
export function Button(props: ButtonProps) {
  const { variant, size, icon, isPending = false, isInactive = false, ...others } = props
  const { className, children, onClick, type = 'button', ...rest } = others
  const ignoresClicks = isPending || isInactive
  return (
    <button
      tabIndex={0}
      {...rest}
      type={type}
      className={classNames(buttonClasses({ variant, size }), isInactive && inactiveClasses(variant), className)}
      // See `useCoversMainButton`.
      data-main={variant === 'primary' || variant === 'danger' || undefined}
      aria-busy={isPending || undefined}
      aria-disabled={ignoresClicks || rest['aria-disabled']}
      onClick={ignoresClicks ? ignoreClick : onClick}
    >
      <span className={classNames('inline-flex items-center', isPending && !icon ? spinnerInPadding : 'gap-[inherit]')}>
        {isPending ? <Spinner delayMs={0} className={icon ? undefined : '*:size-3'} /> : icon}
        {children}
      </span>
    </button>
  )
}

const inactiveClasses = (variant?: ButtonVariant) =>
  classNames('pointer-events-none', variant === 'primary' ? 'bg-hover! text-muted!' : 'opacity-45')

/** Without an icon, the spinner and its gap, 16 px together, take their room from the padding of both sides. */
const spinnerInPadding = '-mx-2 gap-1'

/** Also prevents a submit button from submitting its form twice. */
export function ignoreClick(event: MouseEvent) {
  event.preventDefault()
  event.stopPropagation()
}
