import Check from 'lucide-react/icons/check'
import { type ReactNode, use } from 'react'
import { classNames } from '../class-names.ts'
import { Kbd } from '../keys/kbd.tsx'
import { MenuContext } from './menu-list.tsx'

type ItemProps = {
  icon?: ReactNode
  /** The keyboard shortcut of the same action. */
  shortcut?: string
  disabled?: boolean
  /** Why the item is disabled. It then stays reachable, so that the reason can be read. */
  hint?: string
  onSelect: () => void
  children: ReactNode
}

const itemClasses =
  'flex min-h-8 w-full items-center gap-2.5 rounded-sm px-2 py-1 text-left ' +
  '-outline-offset-2 pointer-coarse:min-h-11 focus:bg-hover disabled:opacity-45 [&>.lucide]:text-muted'

export function MenuItem({ tone = 'neutral', ...props }: ItemProps & { tone?: 'neutral' | 'danger' }) {
  return (
    <MenuRow
      {...props}
      role="menuitem"
      className={tone === 'danger' ? 'text-danger focus:bg-danger/10 [&>.lucide]:text-danger!' : undefined}
    />
  )
}

/** One of several exclusive options. */
export function MenuRadioItem(props: ItemProps & { isChecked: boolean }) {
  return <MenuRow {...props} role="menuitemradio" />
}

type RowProps = ItemProps & {
  role: 'menuitem' | 'menuitemradio'
  isChecked?: boolean
  className?: string
}

function MenuRow({ icon, shortcut, disabled, hint, onSelect, children, role, isChecked, className }: RowProps) {
  const { close } = use(MenuContext)
  const isExplained = disabled && hint !== undefined
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: only the role that can be checked passes isChecked
    <button
      type="button"
      role={role}
      aria-checked={isChecked}
      tabIndex={-1}
      disabled={disabled && !isExplained}
      aria-disabled={isExplained || undefined}
      onClick={() => {
        if (isExplained) return
        close()
        onSelect()
      }}
      onPointerMove={(event) => event.currentTarget.focus({ preventScroll: true })}
      onPointerLeave={(event) =>
        event.currentTarget.closest<HTMLElement>('[role=menu]')?.focus({ preventScroll: true })
      }
      className={classNames(itemClasses, className)}
    >
      {icon}
      <span className={classNames('grow truncate', isExplained && 'text-faint')}>
        {children}
        {isExplained && <span className="block max-w-56 whitespace-normal py-0.5 text-muted text-xs">{hint}</span>}
      </span>
      {shortcut && <Kbd keys={shortcut} className="ml-4" />}
      {isChecked !== undefined && (
        <Check aria-hidden="true" className={classNames('text-accent!', !isChecked && 'invisible')} />
      )}
    </button>
  )
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return <div className="px-2 pt-1.5 pb-1 text-muted text-xs">{children}</div>
}

export function MenuSeparator() {
  return <hr className="-mx-1 my-1 border-line" />
}
