import type { ComponentProps, MouseEvent, ReactNode } from 'react'
import { type ButtonSize, type ButtonVariant, buttonClasses } from './button-classes.ts'
import { classNames } from './class-names.ts'
import { Spinner } from './spinner.tsx'

export type ButtonProps = ComponentProps<'button'> & {
  variant?: ButtonVariant
  size?: ButtonSize
  icon?: ReactNode
  isPending?: boolean
}

/** While pending it keeps its width, its name and the focus, and ignores presses. */
export function Button(props: ButtonProps) {
  const { variant, size, icon, isPending = false, className, children, onClick, type = 'button', ...rest } = props
  return (
    <button
      {...rest}
      type={type}
      className={classNames(buttonClasses({ variant, size }), className)}
      aria-busy={isPending || undefined}
      aria-disabled={isPending || rest['aria-disabled']}
      onClick={isPending ? ignorePress : onClick}
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
