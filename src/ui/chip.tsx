import X from 'lucide-react/icons/x'
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

type ChipProps = {
  icon?: ReactNode
  className?: string
  children: ReactNode
} & (
  | { onRemove?: undefined; removeLabel?: undefined; onPress?: undefined; isPressed?: undefined; disabled?: undefined }
  /** Carries a small button that takes it away. */
  | { onRemove: () => void; removeLabel: string; onPress?: undefined; isPressed?: undefined; disabled?: boolean }
  /** Is itself a button that goes on and off. */
  | { onPress: () => void; isPressed: boolean; onRemove?: undefined; removeLabel?: undefined; disabled?: boolean }
)

const chipClasses =
  'inline-flex h-6 pointer-coarse:h-8 max-w-full items-center gap-1 rounded-full border px-2.5 text-sm [&_.lucide]:size-3'

/** A quiet word among others: a plain one, one that can be removed, or one that can be chosen. */
export function Chip({ icon, className, children, onRemove, removeLabel, onPress, isPressed, disabled }: ChipProps) {
  const words = (
    <>
      {icon}
      <span className="truncate">{children}</span>
    </>
  )
  if (onPress) {
    return (
      <button
        type="button"
        tabIndex={0}
        aria-pressed={isPressed}
        disabled={disabled}
        onClick={onPress}
        className={classNames(
          chipClasses,
          'disabled:opacity-60',
          isPressed
            ? 'border-accent bg-accent/14 text-ink'
            : 'border-line-strong text-muted hover:bg-hover hover:text-ink',
          className,
        )}
      >
        {words}
      </button>
    )
  }
  return (
    <span className={classNames(chipClasses, 'border-line bg-hover text-muted', onRemove && 'pr-0.5', className)}>
      {words}
      {onRemove && (
        <button
          type="button"
          tabIndex={0}
          aria-label={removeLabel}
          disabled={disabled}
          onClick={onRemove}
          className="relative grid size-4.5 shrink-0 place-items-center rounded-full pointer-coarse:after:absolute pointer-coarse:after:-inset-2 hover:bg-line-strong hover:text-ink"
        >
          <X aria-hidden="true" />
        </button>
      )}
    </span>
  )
}
