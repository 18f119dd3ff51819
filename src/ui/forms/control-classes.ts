import { classNames } from '../class-names.ts'

/**
 * "outlined" has an edge that passes 3:1, for forms; "filled" steps back, for a bar where an icon or words tell what it is;
 * "button" stands in a row of buttons.
 */
export type ControlLook = 'outlined' | 'filled' | 'button'

const looks: Record<ControlLook, string> = {
  outlined: 'border-line-control bg-surface hover:border-muted max-sm:pointer-coarse:min-h-11',
  filled: 'border-transparent bg-hover hover:bg-line',
  button: 'border-line-strong bg-button hover:bg-button-hover',
}

/** What every typed or chosen field shares. Words are 16 px on touch screens, or phones would zoom in; forms there are 44 px high. */
export function controlClasses(look: ControlLook = 'outlined'): string {
  return classNames(
    'w-full min-w-0 rounded-sm border text-base text-ink pointer-coarse:text-lg',
    'aria-invalid:border-danger',
    'disabled:pointer-events-none disabled:opacity-45',
    looks[look],
  )
}
