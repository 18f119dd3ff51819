import type { ReactNode } from 'react'
import { classNames } from '#ui/class-names.ts'

type NavItemProps = {
  icon: ReactNode
  isCurrent: boolean
  /** A count at the end of the entry. */
  count?: number
  onSelect: () => void
  children: ReactNode
}

/** One entry of the sidebar. */
export function NavItem({ icon, isCurrent, count, onSelect, children }: NavItemProps) {
  return (
    <button
      type="button"
      tabIndex={0}
      aria-current={isCurrent ? 'page' : undefined}
      onClick={onSelect}
      className={classNames(
        'flex min-h-8 w-full items-center gap-2.5 rounded-sm px-2.5 py-1 text-left',
        'pointer-coarse:min-h-11 focus-visible:-outline-offset-2',
        isCurrent
          ? 'bg-hover font-medium text-ink [&>.lucide]:text-accent'
          : 'text-muted hover:bg-hover hover:text-ink',
      )}
    >
      {icon}
      <span className="min-w-0 grow truncate">{children}</span>
      {count !== undefined && (
        <span className="figures font-normal text-faint text-xs">{count.toLocaleString('en')}</span>
      )}
    </button>
  )
}
