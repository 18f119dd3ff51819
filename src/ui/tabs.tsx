import { Content, List, Root, Trigger } from 'radix-ui/tabs'
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

type TabsProps = { value: string; onValueChange: (value: string) => void; className?: string; children: ReactNode }

export function Tabs({ value, onValueChange, className, children }: TabsProps) {
  return (
    <Root value={value} onValueChange={onValueChange} className={className}>
      {children}
    </Root>
  )
}

/** One line of tabs; on a narrow screen it scrolls sideways. */
export function TabList({ label, className, children }: { label: string; className?: string; children: ReactNode }) {
  return (
    <List
      aria-label={label}
      className={classNames(
        // What scrolls is cut at its edge: the margin keeps focus rings whole, and the line below ends with what is around it.
        '-mx-1.5 flex gap-2 overflow-x-auto [scrollbar-width:none]',
        'bg-[linear-gradient(var(--line),var(--line))] bg-[length:calc(100%-0.75rem)_1px] bg-bottom bg-no-repeat',
        className,
      )}
    >
      {children}
    </List>
  )
}

type TabProps = { value: string; icon?: ReactNode; children: ReactNode }

export function Tab({ value, icon, children }: TabProps) {
  return (
    <Trigger
      value={value}
      // Radix gives it the focus by script, for which browsers draw a ring also when a mouse was pressed.
      onMouseDown={({ currentTarget }) => currentTarget.style.setProperty('outline', 'none')}
      onBlur={({ currentTarget }) => currentTarget.style.removeProperty('outline')}
      className="relative flex h-10 pointer-coarse:h-11 shrink-0 items-center gap-2 whitespace-nowrap rounded-sm px-1.5 font-medium text-muted after:absolute after:inset-x-1.5 after:bottom-0 after:h-0.5 after:rounded-full hover:text-ink focus-visible:-outline-offset-2 data-[state=active]:text-ink data-[state=active]:after:bg-accent"
    >
      {icon}
      {children}
    </Trigger>
  )
}

export function TabPanel({ value, className, children }: { value: string; className?: string; children: ReactNode }) {
  return (
    <Content value={value} className={classNames('rounded-sm', className)}>
      {children}
    </Content>
  )
}
