import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, type PointerEvent, useEffect, useEffectEvent, useRef, useState } from 'react'
import { classNames } from '#ui/class-names.ts'
import type { Month } from '../../finding-contract.ts'
import type { LibraryView } from '../../library-view.ts'
import { mediaQueries } from '../queries.ts'
import type { SetLibraryView } from '../use-library-view.ts'
import { type DateKind, monthLabel } from './month-groups.ts'
import { monthAt, pageOfMonth, startOfMonth, yearsAlong } from './place-months.ts'

/** A key held down passes many months; the last one is opened. */
const keyRestMs = 300
/** On touch screens it is only visible while the list scrolls. */
const visibleMs = 1500
/** The scroll of the jump itself ends within this time. */
const holdMs = 200
/** Below the top bar and the sticky heading. */
const headingEdge = 100

type MonthScrubberProps = {
  view: LibraryView
  kind: DateKind
  /** Whether the items of the view are shown, and not those of the page before. */
  isPageShown: boolean
  onViewChange: SetLibraryView
}

/** A slider at the right edge that jumps to a month of the whole list. The pages stay as they are; this opens one of them. */
export function MonthScrubber({ view, kind, isPageShown, onViewChange }: MonthScrubberProps) {
  const { data: months = [] } = useQuery(mediaQueries.months(view, kind))
  if (months.length < 2) return null
  return <Scrubber view={view} months={months} isPageShown={isPageShown} onViewChange={onViewChange} />
}

type ScrubberProps = Omit<MonthScrubberProps, 'kind'> & { months: readonly Month[] }

const steps: Record<string, number> = {
  ArrowDown: 1,
  ArrowRight: 1,
  ArrowUp: -1,
  ArrowLeft: -1,
  PageDown: 12,
  PageUp: -12,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
}

function Scrubber({ view, months, isPageShown, onViewChange }: ScrubberProps) {
  const trackRef = useRef<HTMLDivElement>(null)
  const { month: current, isScrolling, hold } = useMonthOnScreen(isPageShown, view.page)
  /** The month under the finger or chosen by keys, before the jump. */
  const [aimed, setAimed] = useState<number>()
  const [pointed, setPointed] = useState<number>()
  const keyTimer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const jumpTo = useJump({ view, months, isPageShown, onViewChange }, hold)
  useEffect(() => () => clearTimeout(keyTimer.current), [])

  const shown = Math.max(
    0,
    months.findIndex(({ month }) => month === current),
  )
  const index = Math.min(aimed ?? shown, months.length - 1)
  const labeled = aimed ?? pointed
  const percent = (of: number) => `${startOfMonth(months, of) * 100}%`

  const monthUnder = ({ clientY }: PointerEvent) => {
    const { top, height } = trackRef.current!.getBoundingClientRect()
    return monthAt(months, (clientY - top) / height)
  }
  const jump = (to: number) => {
    clearTimeout(keyTimer.current)
    setAimed(undefined)
    jumpTo(to)
  }
  const press = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button !== 0) return
    event.currentTarget.setPointerCapture(event.pointerId)
    setAimed(monthUnder(event))
  }
  const move = (event: PointerEvent<HTMLDivElement>) => {
    if (event.currentTarget.hasPointerCapture(event.pointerId)) setAimed(monthUnder(event))
    else if (event.pointerType === 'mouse') setPointed(monthUnder(event))
  }
  const handleKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && aimed !== undefined) return jump(aimed)
    const step = steps[event.key]
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    const next = Math.min(Math.max(index + step, 0), months.length - 1)
    setAimed(next)
    clearTimeout(keyTimer.current)
    keyTimer.current = setTimeout(() => jump(next), keyRestMs)
  }

  return (
    <div
      className={classNames(
        'group/scrubber pointer-events-none fixed top-18 right-0 bottom-6 z-20 w-6 transition-opacity pointer-coarse:w-11',
        !isScrolling && aimed === undefined && 'pointer-coarse:not-focus-within:opacity-0',
      )}
    >
      <div
        aria-hidden="true"
        className="absolute inset-0 opacity-0 transition-opacity group-hover/scrubber:opacity-100"
      >
        {yearsAlong(months).map(({ year, start }) => (
          <span
            key={year}
            className="figures absolute right-1 rounded-sm bg-canvas px-1 text-muted text-xs"
            style={{ top: `${start * 100}%` }}
          >
            {year}
          </span>
        ))}
      </div>
      <div
        ref={trackRef}
        role="slider"
        tabIndex={0}
        aria-label="Jump to month"
        aria-orientation="vertical"
        aria-valuemin={0}
        aria-valuemax={months.length - 1}
        aria-valuenow={index}
        aria-valuetext={monthLabel(months[index]!.month)}
        onKeyDown={handleKey}
        onBlur={() => aimed !== undefined && jump(aimed)}
        onPointerDown={press}
        onPointerMove={move}
        onPointerUp={() => aimed !== undefined && jump(aimed)}
        onPointerCancel={() => setAimed(undefined)}
        onPointerLeave={() => setPointed(undefined)}
        // A finger scrolls the page next to the thumb.
        className="pointer-coarse:pointer-events-none pointer-events-auto absolute inset-0 cursor-ns-resize rounded-sm -outline-offset-2"
      >
        <span
          className={classNames(
            'absolute right-0 grid h-0 w-full touch-none place-items-center',
            isScrolling || aimed !== undefined ? 'pointer-coarse:pointer-events-auto' : 'pointer-events-none',
            'pointer-coarse:after:absolute pointer-coarse:after:h-11 pointer-coarse:after:w-full',
          )}
          style={{ top: percent(index) }}
        >
          <span className="h-1 w-4 rounded-full bg-muted group-hover/scrubber:bg-ink pointer-coarse:h-8 pointer-coarse:w-2" />
        </span>
      </div>
      {labeled !== undefined && (
        <span
          aria-hidden="true"
          className="-translate-y-1/2 absolute right-8 whitespace-nowrap rounded-md bg-overlay px-3 py-1.5 font-medium text-sm shadow-float pointer-coarse:right-14"
          style={{ top: percent(Math.min(labeled, months.length - 1)) }}
        >
          {monthLabel(months[Math.min(labeled, months.length - 1)]!.month)}
        </span>
      )}
    </div>
  )
}

/** Opens the page that has the beginning of a month, and scrolls to its heading when the page is there. */
function useJump({ view, months, isPageShown, onViewChange }: ScrubberProps, onArrive: (month: string) => void) {
  const [wanted, setWanted] = useState<{ month: string; page: number }>()
  const arrive = useEffectEvent(onArrive)
  useEffect(() => {
    if (!wanted || !isPageShown || wanted.page !== view.page) return
    setWanted(undefined)
    document.querySelector(`[data-month="${wanted.month}"]`)?.scrollIntoView({ block: 'start' })
    arrive(wanted.month)
  }, [wanted, isPageShown, view.page])
  return (index: number) => {
    const chosen = months[index]
    if (!chosen) return
    const page = pageOfMonth(chosen, view.pageSize)
    setWanted({ month: chosen.month, page })
    if (page !== view.page) onViewChange({ page })
  }
}

/** The month whose heading is at the top of the screen, and whether the user is scrolling. */
function useMonthOnScreen(isPageShown: boolean, page: number) {
  const [month, setMonth] = useState<string>()
  const [isScrolling, setIsScrolling] = useState(false)
  const heldUntil = useRef(0)
  const read = useEffectEvent(() => {
    if (performance.now() < heldUntil.current) return
    const headings = [...document.querySelectorAll<HTMLElement>('[data-month]')]
    const passed = headings.findLast((heading) => heading.getBoundingClientRect().top <= headingEdge)
    setMonth((passed ?? headings[0])?.dataset.month)
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page has other headings
  useEffect(() => {
    if (isPageShown) read()
  }, [isPageShown, page])
  useEffect(() => {
    let frame = 0
    let timer: ReturnType<typeof setTimeout>
    const follow = () => {
      setIsScrolling(true)
      clearTimeout(timer)
      timer = setTimeout(() => setIsScrolling(false), visibleMs)
      frame ||= requestAnimationFrame(() => {
        frame = 0
        read()
      })
    }
    window.addEventListener('scroll', follow, { passive: true })
    return () => {
      window.removeEventListener('scroll', follow)
      cancelAnimationFrame(frame)
      clearTimeout(timer)
    }
  }, [])
  /** The last month of a page cannot reach the top, so it counts until the user scrolls on. */
  const hold = (reached: string) => {
    heldUntil.current = performance.now() + holdMs
    setMonth(reached)
  }
  return { month, isScrolling, hold }
}
