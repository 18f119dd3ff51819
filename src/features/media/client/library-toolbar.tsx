import ArrowDownWideNarrow from 'lucide-react/icons/arrow-down-wide-narrow'
import ArrowUpNarrowWide from 'lucide-react/icons/arrow-up-narrow-wide'
import LayoutGrid from 'lucide-react/icons/layout-grid'
import List from 'lucide-react/icons/list'
import SlidersHorizontal from 'lucide-react/icons/sliders-horizontal'
import SquareCheck from 'lucide-react/icons/square-check'
import { useEffect, useRef } from 'react'
import { Button } from '#ui/button.tsx'
import { SegmentedControl } from '#ui/forms/segmented-control.tsx'
import { Select } from '#ui/forms/select.tsx'
import { IconButton } from '#ui/icon-button.tsx'
import { DropdownMenu } from '#ui/menus/dropdown-menu.tsx'
import { MenuLabel, MenuRadioItem, MenuSeparator } from '#ui/menus/menu-item.tsx'
import { useMediaQuery } from '#ui/use-media-query.ts'
import { isOfSimilar, type LibraryView, shownDirection, shownSort, sortBy, turnTo } from '../library-view.ts'
import { type Direction, directions, type Sort } from '../limits.ts'
import { FilterButton } from './filters/filter-button.tsx'
import type { SetLibraryView } from './use-library-view.ts'

export const sortLabels: Record<Sort, string> = {
  recent: 'Recent',
  taken: 'Date taken',
  name: 'Name',
  size: 'Size (largest first)',
  type: 'Type',
  manual: 'Manual order',
}
const bestMatch = 'best'

const directionLabels: Record<Exclude<Sort, 'manual'>, Record<Direction, string>> = {
  recent: { desc: 'Newest first', asc: 'Oldest first' },
  taken: { desc: 'Newest first', asc: 'Oldest first' },
  name: { asc: 'A to Z', desc: 'Z to A' },
  size: { desc: 'Largest first', asc: 'Smallest first' },
  type: { asc: 'A to Z', desc: 'Z to A' },
}

export const layouts = [
  { value: 'grid', label: 'Grid view', icon: <LayoutGrid /> },
  { value: 'list', label: 'List view', icon: <List /> },
] as const

type LibraryToolbarProps = {
  view: LibraryView
  /** Whether the owner arranges the items of the list. */
  hasManualOrder: boolean
  onViewChange: SetLibraryView
  /** False in an empty list, which has nothing to select. */
  canSelect: boolean
  isSelecting: boolean
  onSelectingChange: (isSelecting: boolean) => void
}

export function LibraryToolbar(props: LibraryToolbarProps) {
  const { view, hasManualOrder, onViewChange, canSelect, isSelecting, onSelectingChange } = props
  const sorts = Object.entries(sortLabels)
    .filter(([value]) => value !== 'manual' || hasManualOrder)
    .map(([value, label]) => ({ value, label }))
  const options = view.search ? [{ value: bestMatch, label: 'Best match' }, ...sorts] : sorts
  // Similar items have only one order.
  const hasOrder = !isOfSimilar(view)
  const orders = hasOrder ? options : []
  const sort = shownSort(view)
  const direction = hasOrder ? shownDirection(view) : undefined
  const directionsOfSort = sort && sort !== 'manual' && direction ? directionLabels[sort] : undefined
  const turn = (to: Direction) => onViewChange(turnTo(view, to))
  const selectRef = useRef<HTMLButtonElement>(null)
  // The button that ends select mode disappears when it is pressed, so keyboard focus returns to the one that starts it.
  useEffect(() => {
    if (!isSelecting) return
    return () => {
      if (document.activeElement === document.body) selectRef.current?.focus({ preventScroll: true })
    }
  }, [isSelecting])
  const chooseSort = (value: string) => onViewChange(sortBy(view, value === bestMatch ? undefined : (value as Sort)))
  const chooseLayout = (layout: LibraryView['layout']) => onViewChange({ layout }, { replace: true })
  // On a phone the buttons stand in the row of the tabs, where there is room for two icons.
  const isPhone = useMediaQuery('(width < 40rem)')
  return (
    <>
      {(canSelect || isSelecting) && (
        <Button
          ref={selectRef}
          icon={<SquareCheck />}
          variant={isPhone ? 'quiet' : 'secondary'}
          aria-pressed={isSelecting}
          onClick={() => onSelectingChange(!isSelecting)}
          // Fixed width, as the label changes and the neighboring buttons should not move.
          className={isPhone ? 'w-9 px-0 aria-pressed:text-accent' : 'min-w-24'}
        >
          <span className={isPhone ? 'sr-only' : undefined}>{isSelecting ? 'Done' : 'Select'}</span>
        </Button>
      )}
      {hasOrder && <FilterButton search={view.search} isPhone={isPhone} onViewChange={onViewChange} />}
      {isPhone ? (
        <DropdownMenu trigger={<IconButton label="Sort and layout" icon={<SlidersHorizontal />} hasTooltip={false} />}>
          {hasOrder && <MenuLabel>Sort by</MenuLabel>}
          {orders.map(({ value, label }) => (
            <MenuRadioItem key={value} isChecked={value === (sort ?? bestMatch)} onSelect={() => chooseSort(value)}>
              {label}
            </MenuRadioItem>
          ))}
          {directionsOfSort && (
            <>
              <MenuSeparator />
              {directions.toReversed().map((each) => (
                <MenuRadioItem key={each} isChecked={each === direction} onSelect={() => turn(each)}>
                  {directionsOfSort[each]}
                </MenuRadioItem>
              ))}
            </>
          )}
          {hasOrder && <MenuSeparator />}
          {layouts.map(({ value, label, icon }) => (
            <MenuRadioItem
              key={value}
              icon={icon}
              isChecked={value === view.layout}
              onSelect={() => chooseLayout(value)}
            >
              {label}
            </MenuRadioItem>
          ))}
        </DropdownMenu>
      ) : (
        <>
          {hasOrder && (
            <Select
              label="Sort by"
              variant="button"
              options={orders}
              value={sort ?? bestMatch}
              onValueChange={chooseSort}
            />
          )}
          {directionsOfSort && direction && (
            <IconButton
              variant="secondary"
              label={`Direction: ${directionsOfSort[direction]}`}
              icon={direction === 'desc' ? <ArrowDownWideNarrow /> : <ArrowUpNarrowWide />}
              onClick={() => turn(direction === 'desc' ? 'asc' : 'desc')}
            />
          )}
          <SegmentedControl
            label="Layout"
            isIconOnly
            value={view.layout}
            onValueChange={chooseLayout}
            segments={layouts}
          />
        </>
      )}
    </>
  )
}
