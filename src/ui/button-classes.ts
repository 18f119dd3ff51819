import { classNames } from './class-names.ts'

export type ButtonVariant = 'primary' | 'secondary' | 'secondary-danger' | 'quiet' | 'quiet-danger' | 'danger'
export type ButtonSize = 'sm' | 'md' | 'lg'

const framed = 'border border-line-strong bg-button hover:bg-button-hover'

/** What cannot be pressed does not call for it: half an accent is brown in the darkroom, with words that nobody can read. */
const colourless = 'disabled:bg-hover disabled:text-muted disabled:opacity-100'

/** `danger` does it; the two in words of its colour lead to where it is confirmed. */
const variants: Record<ButtonVariant, string> = {
  primary: `bg-accent text-on-accent hover:bg-accent-hover ${colourless}`,
  secondary: `${framed} text-ink`,
  'secondary-danger': `${framed} text-danger`,
  quiet: 'text-muted hover:bg-hover hover:text-ink aria-expanded:bg-hover aria-expanded:text-ink',
  'quiet-danger': 'text-danger hover:bg-danger/10',
  danger: `bg-danger-fill text-on-danger hover:bg-danger-fill-hover ${colourless}`,
}

/** A finger gets 44 px even where the eye gets 36 or 28; a frame is not counted, and neighbours keep their own side. */
const reach = "pointer-coarse:after:absolute pointer-coarse:after:content-['']"

const sizes: Record<ButtonSize, { text: string; icon: string; reach?: string }> = {
  sm: {
    text: 'h-7 gap-1.5 rounded-sm px-2.5 text-sm',
    icon: 'size-7 rounded-sm',
    reach: `${reach} pointer-coarse:after:-inset-x-1 pointer-coarse:after:-inset-y-2.25`,
  },
  md: {
    text: 'h-9 gap-2 rounded-sm px-3.5 text-base',
    icon: 'size-9 rounded-sm',
    reach: `${reach} pointer-coarse:after:-inset-1.25`,
  },
  lg: { text: 'h-11 gap-2 rounded-md px-5 text-lg', icon: 'size-11 rounded-md [&_.lucide]:size-5' },
}

/** The looks of a button, for a link that should look like one. */
export function buttonClasses(look: { variant?: ButtonVariant; size?: ButtonSize; isIconOnly?: boolean } = {}): string {
  const { variant = 'secondary', size = 'md', isIconOnly = false } = look
  return classNames(
    'relative inline-flex shrink-0 select-none items-center justify-center whitespace-nowrap font-medium',
    'transition-[transform,opacity] active:scale-[0.98]',
    'disabled:pointer-events-none disabled:opacity-45 aria-disabled:active:scale-100',
    sizes[size].reach,
    isIconOnly ? sizes[size].icon : sizes[size].text,
    variants[variant],
  )
}
