import type { ComponentProps, ReactNode } from 'react'
import { ignoreClick } from './button.tsx'
import { type ButtonSize, type ButtonVariant, buttonClasses } from './button-classes.ts'
import { classNames } from './class-names.ts'
import type { Side } from './layers/placement.ts'
import { Tooltip } from './layers/tooltip.tsx'
import { Spinner } from './spinner.tsx'

type IconButtonProps = Omit<ComponentProps<'button'>, 'children' | 'aria-label'> & {
  /** The accessible name, also shown as the tooltip. */
  label: string
  icon: ReactNode
  variant?: ButtonVariant
  size?: ButtonSize
  /** The keyboard shortcut, shown in the tooltip. */
  shortcut?: string
  isPending?: boolean
  hasTooltip?: boolean
  tooltipSide?: Side
}

export function IconButton(props: IconButtonProps) {
  const {
    label,
    icon,
    variant = 'quiet',
    size,
    shortcut,
    isPending = false,
    hasTooltip = true,
    tooltipSide,
    className,
    ...rest
  } = props
  const button = (
    <button
      type="button"
      tabIndex={0}
      {...rest}
      aria-label={label}
      aria-busy={isPending || undefined}
      aria-disabled={isPending || rest['aria-disabled']}
      className={classNames(buttonClasses({ variant, size, isIconOnly: true }), className)}
      onClick={isPending ? ignoreClick : rest.onClick}
    >
      {isPending ? <Spinner delayMs={0} /> : icon}
    </button>
  )
  if (!hasTooltip) return button
  return (
    <Tooltip content={label} shortcut={shortcut} side={tooltipSide} isName>
      {button}
    </Tooltip>
  )
}
