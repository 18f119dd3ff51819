import X from 'lucide-react/icons/x'
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

type ChipProps = {
  icon?: ReactNode
  className?: string
  children: ReactNode
} & (
  | { onRemove?: undefined; removeLabel?: undefined; onPress?: undefined; isPressed?: undefined; disabled?: undefined }
  /** With a small button that removes it. */
  | { onRemove: () => void; removeLabel: string; onPress?: undefined; isPressed?: undefined; disabled?: boolean }
  /** A toggle button. */
  | { onPress: () => void; isPressed: boolean; onRemove?: undefined; removeLabel?: undefined; disabled?: boolean }
)

const chipClasses =
  'inline-flex h-6 pointer-coarse:h-8 max-w-full items-center gap-1 rounded-full border px-2.5 text-sm [&_.lucide]:size-3'

const removeClasses = classNames(
  'relative grid size-4.5 shrink-0 place-items-center rounded-full hover:bg-line-strong hover:text-ink',
  'pointer-coarse:after:absolute pointer-coarse:after:-inset-2',
)

/** A small label: plain, removable or a toggle. */
export function Chip({ icon, className, children, onRemove, removeLabel, onPress, isPressed, disabled }: ChipProps) {
  const content = (
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
        {content}
      </button>
    )
  }
  return (
    <span className={classNames(chipClasses, 'border-line bg-hover text-muted', onRemove && 'pr-0.5', className)}>
      {content}
      {onRemove && (
        <button
          type="button"
          tabIndex={0}
          aria-label={removeLabel}
          disabled={disabled}
          onClick={onRemove}
          className={removeClasses}
        >
          <X aria-hidden="true" />
        </button>
      )}
    </span>
  )
}
