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
      className={classNames('flex gap-5 overflow-x-auto border-line border-b [scrollbar-width:none]', className)}
    >
      {children}
    </List>
  )
}

type TabProps = { value: string; icon?: ReactNode; count?: number; children: ReactNode }

export function Tab({ value, icon, count, children }: TabProps) {
  return (
    <Trigger
      value={value}
      className="relative flex h-10 shrink-0 items-center gap-2 whitespace-nowrap rounded-sm font-medium text-muted transition-colors after:absolute after:inset-x-0 after:bottom-0 after:h-0.5 after:rounded-full hover:text-ink focus-visible:-outline-offset-2 data-[state=active]:text-ink data-[state=active]:after:bg-accent"
    >
      {icon}
      {children}
      {count !== undefined && (
        <span className="figures font-normal text-faint text-sm">{count.toLocaleString('en')}</span>
      )}
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
