import { classNames } from '../class-names.ts'

/**
 * "outlined" has a border with a contrast of 3:1, for forms; "filled" is quieter, for toolbars where an icon or label names the
 * control; "button" is for a row of buttons.
 */
export type ControlVariant = 'outlined' | 'filled' | 'button'

const variants: Record<ControlVariant, string> = {
  outlined: 'border-line-control bg-surface hover:border-muted max-sm:pointer-coarse:min-h-11',
  filled: 'border-transparent bg-hover hover:bg-line',
  button: 'border-line-strong bg-button hover:bg-button-hover',
}

/** Shared by inputs, textareas and selects. On touch screens text is 16 px, since phones zoom in on smaller text, and fields 44 px high. */
export function controlClasses(variant: ControlVariant = 'outlined'): string {
  return classNames(
    'w-full min-w-0 rounded-sm border text-base text-ink pointer-coarse:text-lg',
    'aria-invalid:border-danger',
    'disabled:pointer-events-none disabled:opacity-45',
    variants[variant],
  )
}

/** The native checkbox behind a checkbox or switch, drawn as its box. */
export const checkInputClasses = classNames(
  'peer absolute inset-0 appearance-none border border-line-control bg-surface',
  'checked:border-accent checked:bg-accent',
)
