import { createContext, type KeyboardEvent, type ReactNode, useContext, useEffect, useId, useRef } from 'react'
import { classNames } from './class-names.ts'

type TabsProps = { value: string; onValueChange: (value: string) => void; className?: string; children: ReactNode }

const Chosen = createContext({ id: '', value: '', choose: (_value: string) => {} })

export function Tabs({ value, onValueChange, className, children }: TabsProps) {
  const id = useId()
  return (
    <Chosen value={{ id, value, choose: onValueChange }}>
      <div className={className}>{children}</div>
    </Chosen>
  )
}

/**
 * One line of tabs; on a narrow screen it scrolls sideways, and the chosen one is in sight. Tab leads to that one, the arrows
 * to the others.
 */
export function TabList({ label, className, children }: { label: string; className?: string; children: ReactNode }) {
  const ref = useRef<HTMLDivElement>(null)
  const { value } = useContext(Chosen)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another one is chosen
  useEffect(() => {
    const list = ref.current!
    const chosen = list.querySelector('[aria-selected=true]')
    // Sideways only: the page stays where it is.
    if (chosen) list.scrollLeft += middleOf(chosen) - middleOf(list)
  }, [value])
  return (
    <div
      ref={ref}
      role="tablist"
      aria-label={label}
      onKeyDown={chooseByKey}
      className={classNames(
        // What scrolls is cut at its edge: the margin keeps focus rings whole, and the line below ends with what is around it.
        'fade-sideways-where-it-goes-on -mx-1.5 flex gap-2 overflow-x-auto [scrollbar-width:none]',
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
  const places: Record<string, number> = { ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: -1 }
  const place = places[event.key]
  if (place === undefined) return
  event.preventDefault()
  const tab = tabs.at(place % tabs.length)
  tab?.focus()
  tab?.click()
}

type TabProps = { value: string; icon?: ReactNode; children: ReactNode }

export function Tab({ value, icon, children }: TabProps) {
  const { id, value: chosen, choose } = useContext(Chosen)
  return (
    <button
      type="button"
      role="tab"
      id={`${id}tab-${value}`}
      aria-selected={value === chosen}
      aria-controls={`${id}panel-${value}`}
      tabIndex={value === chosen ? 0 : -1}
      onClick={() => choose(value)}
      className="relative flex h-10 pointer-coarse:h-11 shrink-0 items-center gap-2 whitespace-nowrap rounded-sm px-1.5 font-medium text-muted after:absolute after:inset-x-1.5 after:bottom-0 after:h-0.5 after:rounded-full hover:text-ink focus-visible:-outline-offset-2 aria-selected:text-ink aria-selected:after:bg-accent"
    >
      {icon}
      {children}
    </button>
  )
}

export function TabPanel({ value, className, children }: { value: string; className?: string; children: ReactNode }) {
  const { id, value: chosen } = useContext(Chosen)
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
