import type { ComponentProps, MouseEvent, ReactNode } from 'react'
import { type ButtonSize, type ButtonVariant, buttonClasses } from './button-classes.ts'
import { classNames } from './class-names.ts'
import { Spinner } from './spinner.tsx'

export type ButtonProps = ComponentProps<'button'> & {
  variant?: ButtonVariant
  size?: ButtonSize
  icon?: ReactNode
  isPending?: boolean
  /** There is nothing more to press for; unlike `disabled` it keeps the focus of whoever pressed it last. */
  isAtEnd?: boolean
}

/**
 * While pending it keeps its width, its words and the focus, and ignores presses; a spinner takes the icon's place.
 *
 * [Note: Buttons in Safari] Safari gives the focus to a button that is pressed, and leads the Tab key to it, only when it has
 * a `tabIndex`: every button has one. Else a dialog would not know where it was opened from.
 */
export function Button(props: ButtonProps) {
  const { variant, size, icon, isPending = false, isAtEnd = false, ...others } = props
  const { className, children, onClick, type = 'button', ...rest } = others
  const isIdle = isPending || isAtEnd
  return (
    <button
      tabIndex={0}
      {...rest}
      type={type}
      className={classNames(buttonClasses({ variant, size }), isAtEnd && atEnd(variant), className)}
      // See `useIsInTheWay`.
      data-main={variant === 'primary' || variant === 'danger' || undefined}
      aria-busy={isPending || undefined}
      aria-disabled={isIdle || rest['aria-disabled']}
      onClick={isIdle ? ignorePress : onClick}
    >
      <span className={classNames('inline-flex items-center', isPending && !icon ? withinPadding : 'gap-[inherit]')}>
        {isPending ? <Spinner delayMs={0} className={icon ? undefined : '*:size-3'} /> : icon}
        {children}
      </span>
    </button>
  )
}

const atEnd = (variant?: ButtonVariant) =>
  classNames('pointer-events-none', variant === 'primary' ? 'bg-hover! text-muted!' : 'opacity-45')

/** Without an icon there is no place: the spinner and its gap, 16 px together, stand in the padding of both sides. */
const withinPadding = '-mx-2 gap-1'

/** Also keeps a submit button from sending its form twice. */
export function ignorePress(event: MouseEvent) {
  event.preventDefault()
  event.stopPropagation()
}
