import LayoutGrid from 'lucide-react/icons/layout-grid'
import List from 'lucide-react/icons/list'
import SquareCheck from 'lucide-react/icons/square-check'
import { Button } from '#ui/button.tsx'
import { SegmentedControl } from '#ui/segmented-control.tsx'
import { Select } from '#ui/select.tsx'
import type { Sort } from '../contract.ts'
import type { LibraryView, SetLibraryView } from './library-view.ts'

const sortLabels: Record<Sort, string> = { recent: 'Recent', name: 'Name', size: 'Size (largest first)', type: 'Type' }
const bestMatch = 'best'

type LibraryToolbarProps = {
  view: LibraryView
  onViewChange: SetLibraryView
  isSelecting: boolean
  onSelectingChange: (isSelecting: boolean) => void
}

export function LibraryToolbar({ view, onViewChange, isSelecting, onSelectingChange }: LibraryToolbarProps) {
  const sorts = Object.entries(sortLabels).map(([value, label]) => ({ value, label }))
  const options = view.search ? [{ value: bestMatch, label: 'Best match' }, ...sorts] : sorts
  return (
    <>
      <Button
        variant="secondary"
        icon={<SquareCheck />}
        aria-pressed={isSelecting}
        onClick={() => onSelectingChange(!isSelecting)}
      >
        {isSelecting ? 'Done' : 'Select'}
      </Button>
      <Select
        label="Sort by"
        options={options}
        value={view.sort ?? (view.search ? bestMatch : 'recent')}
        onValueChange={(value) =>
          onViewChange({
            sort: value === bestMatch || (value === 'recent' && !view.search) ? undefined : (value as Sort),
          })
        }
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
