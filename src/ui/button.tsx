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

/** While pending it keeps its width, its name and the focus, and ignores presses. */
export function Button(props: ButtonProps) {
  const { variant, size, icon, isPending = false, isAtEnd = false, ...others } = props
  const { className, children, onClick, type = 'button', ...rest } = others
  const isIdle = isPending || isAtEnd
  return (
    <button
      {...rest}
      type={type}
      className={classNames(buttonClasses({ variant, size }), isAtEnd && 'pointer-events-none opacity-45', className)}
      aria-busy={isPending || undefined}
      aria-disabled={isIdle || rest['aria-disabled']}
      onClick={isIdle ? ignorePress : onClick}
    >
      <span className={classNames('inline-flex items-center gap-[inherit]', isPending && 'opacity-0')}>
        {icon}
        {children}
      </span>
      {isPending && <Spinner className="absolute" delayMs={0} />}
    </button>
  )
}

/** Also keeps a submit button from sending its form twice. */
export function ignorePress(event: MouseEvent) {
  event.preventDefault()
  event.stopPropagation()
}
