import LayoutGrid from 'lucide-react/icons/layout-grid'
import List from 'lucide-react/icons/list'
import SquareCheck from 'lucide-react/icons/square-check'
import { useEffect, useRef } from 'react'
import { Button } from '#ui/button.tsx'
import { SegmentedControl } from '#ui/forms/segmented-control.tsx'
import { Select } from '#ui/forms/select.tsx'
import { hasOwnOrder, type LibraryView, shownSort, sortBy } from '../library-view.ts'
import type { Sort } from '../limits.ts'
import type { SetLibraryView } from './use-library-view.ts'

const sortLabels: Record<Sort, string> = {
  recent: 'Recent',
  name: 'Name',
  size: 'Size (largest first)',
  type: 'Type',
  manual: 'Manual order',
}
const bestMatch = 'best'

type LibraryToolbarProps = {
  view: LibraryView
  onViewChange: SetLibraryView
  /** False in an empty list, which has nothing to select. */
  canSelect: boolean
  isSelecting: boolean
  onSelectingChange: (isSelecting: boolean) => void
}

export function LibraryToolbar(props: LibraryToolbarProps) {
  const { view, onViewChange, canSelect, isSelecting, onSelectingChange } = props
  const sorts = Object.entries(sortLabels)
    .filter(([value]) => value !== 'manual' || hasOwnOrder(view))
    .map(([value, label]) => ({ value, label }))
  const options = view.search ? [{ value: bestMatch, label: 'Best match' }, ...sorts] : sorts
  const selectRef = useRef<HTMLButtonElement>(null)
  // The button that ends select mode disappears when it is pressed, so keyboard focus returns to the one that starts it.
  useEffect(() => {
    if (!isSelecting) return
    return () => {
      if (document.activeElement === document.body) selectRef.current?.focus({ preventScroll: true })
    }
  }, [isSelecting])
  return (
    <>
      {(canSelect || isSelecting) && (
        <Button
          ref={selectRef}
          icon={<SquareCheck />}
          aria-pressed={isSelecting}
          onClick={() => onSelectingChange(!isSelecting)}
          // Fixed width, as the label changes and the neighboring buttons should not move.
          className="min-[24rem]:min-w-24"
        >
          {isSelecting ? 'Done' : <span className="max-[24rem]:sr-only">Select</span>}
        </Button>
      )}
      <Select
        label="Sort by"
        variant="button"
        options={options}
        value={shownSort(view) ?? bestMatch}
        onValueChange={(value) => onViewChange(sortBy(view, value === bestMatch ? undefined : (value as Sort)))}
      />
      <SegmentedControl
        label="Layout"
        isIconOnly
        value={view.layout}
        onValueChange={(layout) => onViewChange({ layout }, { replace: true })}
        segments={[
          { value: 'grid', label: 'Grid view', icon: <LayoutGrid /> },
          { value: 'list', label: 'List view', icon: <List /> },
        ]}
      />
    </>
  )
}
