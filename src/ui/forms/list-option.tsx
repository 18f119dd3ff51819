import type { ReactNode } from 'react'
import { classNames } from '../class-names.ts'

type ListOptionProps = {
  id: string
  isActive: boolean
  onActivate: () => void
  onChoose: () => void
  icon?: ReactNode
  label: string
  /** What stands at the end of the row. */
  children?: ReactNode
  isCompact?: boolean
  /** For assistive technology, such as "Delete". */
  keys?: string
}

/** An option of a list whose field keeps the focus and names the active option. */
export function ListOption({
  id,
  isActive,
  onActivate,
  onChoose,
  icon,
  label,
  children,
  isCompact = false,
  keys,
}: ListOptionProps) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
    <div
      id={id}
      role="option"
      aria-selected={isActive}
      aria-keyshortcuts={keys}
      // The press would move the focus out of the field.
      onMouseDown={(event) => event.preventDefault()}
      onMouseMove={onActivate}
      onClick={onChoose}
      className={classNames(
        'flex cursor-default items-center gap-2.5 rounded-sm px-2 py-1 pointer-coarse:min-h-11',
        '[&>.lucide]:shrink-0 [&>.lucide]:text-muted',
        isCompact ? 'min-h-8' : 'min-h-9',
        isActive && 'bg-hover',
      )}
    >
      {icon}
      <span dir="auto" className="min-w-0 grow truncate">
        {label}
      </span>
      {children}
    </div>
  )
}
