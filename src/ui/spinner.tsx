import { classNames } from './class-names.ts'

type SpinnerProps = {
  /** Announced immediately and shown after a second; without a label the spinner is decorative. */
  label?: string
  /** Shorter work shows no spinner. */
  delayMs?: number
  className?: string
}

export function Spinner({ label, delayMs = 150, className }: SpinnerProps) {
  return (
    <span
      role={label ? 'status' : undefined}
      className={classNames('inline-flex items-center gap-2 animate-fade-in [animation-fill-mode:both]', className)}
      style={{ animationDelay: `${delayMs}ms` }}
    >
      <svg
        viewBox="0 0 16 16"
        className="size-4 animate-spin motion-reduce:animate-none"
        fill="none"
        aria-hidden="true"
      >
        <circle cx="8" cy="8" r="6.25" stroke="currentColor" strokeWidth="1.75" opacity="0.25" />
        <path d="M8 1.75A6.25 6.25 0 0 1 14.25 8" stroke="currentColor" strokeWidth="1.75" strokeLinecap="round" />
      </svg>
      {label && (
        <span className="animate-fade-in text-muted text-sm [animation-delay:1s] [animation-fill-mode:both]">
          {label}
        </span>
      )}
    </span>
  )
}
