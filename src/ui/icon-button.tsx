import type { ComponentProps, ReactNode } from 'react'
import { ignorePress } from './button.tsx'
import { type ButtonSize, type ButtonVariant, buttonClasses } from './button-classes.ts'
import { classNames } from './class-names.ts'
import type { Side } from './layers/placement.ts'
import { Tooltip } from './layers/tooltip.tsx'
import { Spinner } from './spinner.tsx'

type IconButtonProps = Omit<ComponentProps<'button'>, 'children' | 'aria-label'> & {
  /** Spoken by screen readers and shown as the tooltip. */
  label: string
  icon: ReactNode
  variant?: ButtonVariant
  size?: ButtonSize
  /** Keys that do the same, shown in the tooltip. */
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
      onClick={isPending ? ignorePress : rest.onClick}
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
