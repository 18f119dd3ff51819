import { classNames } from './class-names.ts'

export type ButtonVariant =
  | 'primary'
  | 'secondary'
  | 'secondary-danger'
  | 'quiet'
  | 'quiet-danger'
  | 'danger'
  | 'on-picture'
export type ButtonSize = 'sm' | 'md' | 'lg'

const bordered = 'border border-line-strong bg-button hover:bg-button-hover'

/** A disabled button has no color, since a half-transparent accent is an unreadable brown in the dark theme. */
const disabledColors = 'disabled:bg-hover disabled:text-muted disabled:opacity-100'

/**
 * `danger` carries out a destructive action; the other two red variants open its confirmation. `on-picture` looks the same in
 * both themes: light on a dark scrim.
 */
const variants: Record<ButtonVariant, string> = {
  primary: `bg-accent text-on-accent hover:bg-accent-hover ${disabledColors}`,
  secondary: `${bordered} text-ink`,
  'secondary-danger': `${bordered} text-danger`,
  quiet: 'text-muted hover:bg-hover hover:text-ink aria-expanded:bg-hover aria-expanded:text-ink',
  'quiet-danger': 'text-danger hover:bg-danger/10',
  'on-picture': 'bg-scrim text-on-scrim hover:ring-1 hover:ring-on-scrim/50',
  danger: `bg-danger-fill text-on-danger hover:bg-danger-fill-hover ${disabledColors}`,
}

/** On touch screens the target is 44 px, although the button is 36 or 28 px high; neighboring targets do not overlap. */
const touchTarget = "pointer-coarse:after:absolute pointer-coarse:after:content-['']"

const sizes: Record<ButtonSize, { text: string; icon: string; touchTarget?: string }> = {
  sm: {
    text: 'h-7 gap-1.5 rounded-sm px-2.5 text-sm',
    icon: 'size-7 rounded-sm',
    touchTarget: `${touchTarget} pointer-coarse:after:-inset-x-1 pointer-coarse:after:-inset-y-2.25`,
  },
  md: {
    text: 'h-9 gap-2 rounded-sm px-3.5 text-base',
    icon: 'size-9 rounded-sm',
    touchTarget: `${touchTarget} pointer-coarse:after:-inset-1.25`,
  },
  lg: { text: 'h-11 gap-2 rounded-md px-5 text-lg', icon: 'size-11 rounded-md [&_.lucide]:size-5' },
}

/** The classes of a button, also for links that look like one. */
export function buttonClasses(
  options: { variant?: ButtonVariant; size?: ButtonSize; isIconOnly?: boolean } = {},
): string {
  const { variant = 'secondary', size = 'md', isIconOnly = false } = options
  return classNames(
    'relative inline-flex shrink-0 select-none items-center justify-center whitespace-nowrap font-medium',
    'transition-[transform,opacity] active:scale-[0.98]',
    'disabled:pointer-events-none disabled:opacity-45 aria-disabled:active:scale-100',
    sizes[size].touchTarget,
    isIconOnly ? sizes[size].icon : sizes[size].text,
    variants[variant],
  )
}
