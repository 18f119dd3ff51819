import { createContext, type KeyboardEvent, type ReactNode, useContext, useEffect, useId, useRef } from 'react'
import { classNames } from './class-names.ts'

type TabsProps = { value: string; onValueChange: (value: string) => void; className?: string; children: ReactNode }

const TabsContext = createContext({ id: '', value: '', choose: (_value: string) => {} })

export function Tabs({ value, onValueChange, className, children }: TabsProps) {
  const id = useId()
  return (
    <TabsContext value={{ id, value, choose: onValueChange }}>
      <div className={className}>{children}</div>
    </TabsContext>
  )
}

/** A row of tabs; on a narrow screen it scrolls to the selected one. Tab reaches the selected tab, arrow keys the others. */
export function TabList({ label, className, children }: { label: string; className?: string; children: ReactNode }) {
  const ref = useRef<HTMLDivElement>(null)
  const { value } = useContext(TabsContext)
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when another tab is selected
  useEffect(() => {
    const list = ref.current!
    const chosen = list.querySelector('[aria-selected=true]')
    // Only the row scrolls, not the page.
    if (chosen) list.scrollLeft += middleOf(chosen) - middleOf(list)
  }, [value])
  return (
    <div
      ref={ref}
      role="tablist"
      aria-label={label}
      onKeyDown={chooseByKey}
      className={classNames(
        // The negative margin leaves room for focus rings, which overflow would clip.
        'fade-edges-x -mx-1.5 flex gap-2 overflow-x-auto [scrollbar-width:none]',
        'bg-[linear-gradient(var(--line),var(--line))] bg-[length:calc(100%-0.75rem)_1px] bg-bottom bg-no-repeat',
        className,
      )}
    >
      {children}
    </div>
  )
}

function middleOf(element: Element) {
  const { left, width } = element.getBoundingClientRect()
  return left + width / 2
}

function chooseByKey(event: KeyboardEvent<HTMLElement>) {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
  const tabs = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=tab]')]
  const index = tabs.indexOf(event.target as HTMLElement)
  const targets: Record<string, number> = { ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: -1 }
  const target = targets[event.key]
  if (target === undefined) return
  event.preventDefault()
  const tab = tabs.at(target % tabs.length)
  tab?.focus()
  tab?.click()
}

const tabClasses = classNames(
  'relative flex h-10 pointer-coarse:h-11 shrink-0 items-center gap-2 whitespace-nowrap rounded-sm px-1.5',
  'font-medium text-muted hover:text-ink focus-visible:-outline-offset-2 aria-selected:text-ink',
  'after:absolute after:inset-x-1.5 after:bottom-0 after:h-0.5 after:rounded-full aria-selected:after:bg-accent',
)

type TabProps = { value: string; icon?: ReactNode; children: ReactNode }

export function Tab({ value, icon, children }: TabProps) {
  const { id, value: chosen, choose } = useContext(TabsContext)
  return (
    <button
      type="button"
      role="tab"
      id={`${id}tab-${value}`}
      aria-selected={value === chosen}
      aria-controls={`${id}panel-${value}`}
      tabIndex={value === chosen ? 0 : -1}
      onClick={() => choose(value)}
      className={tabClasses}
    >
      {icon}
      {children}
    </button>
  )
}

export function TabPanel({ value, className, children }: { value: string; className?: string; children: ReactNode }) {
  const { id, value: chosen } = useContext(TabsContext)
  const isChosen = value === chosen
  return (
    <div
      role="tabpanel"
      id={`${id}panel-${value}`}
      aria-labelledby={`${id}tab-${value}`}
      hidden={!isChosen}
      className={classNames('rounded-sm', className)}
    >
      {isChosen && children}
    </div>
  )
}
