import LayoutGrid from 'lucide-react/icons/layout-grid'
import List from 'lucide-react/icons/list'
import { Button } from '#ui/button.tsx'
import { SegmentedControl } from '#ui/segmented-control.tsx'
import { Select } from '#ui/select.tsx'
import { type ResultPageSize, resultPageSizes } from './result-pages.ts'
import type { ScrapeFlow } from './scrape-flow.ts'
import type { Scraper } from './use-scraper.ts'

type ResultsToolbarProps = { flow: ScrapeFlow; dispatch: Scraper['dispatch']; isDisabled: boolean }

const sizes = resultPageSizes.map((size) => ({ value: String(size), label: `${size} per page` }))

export function ResultsToolbar({ flow, dispatch, isDisabled }: ResultsToolbarProps) {
  const { view, selectedIds } = flow
  return (
    <div className="flex flex-wrap items-center gap-2 px-4 pb-4">
      <Button size="md" disabled={isDisabled} onClick={() => dispatch({ type: 'all-selected' })}>
        Select All
      </Button>
      <Button disabled={isDisabled || selectedIds.size === 0} onClick={() => dispatch({ type: 'all-cleared' })}>
        Clear All
      </Button>
      <span aria-live="polite" className="figures px-1 text-muted text-sm">
        {selectedIds.size} selected
      </span>
      <div className="ml-auto flex items-center gap-2">
        <Select
          label="Images per page"
          options={sizes}
          value={String(view.pageSize)}
          onValueChange={(value) =>
            dispatch({ type: 'view-changed', change: { pageSize: Number(value) as ResultPageSize } })
          }
        />
        <SegmentedControl
          label="Layout"
          isIconOnly
          value={view.layout}
          onValueChange={(layout) => dispatch({ type: 'view-changed', change: { layout } })}
          segments={[
            { value: 'grid', label: 'Grid view', icon: <LayoutGrid aria-hidden="true" /> },
            { value: 'list', label: 'List view', icon: <List aria-hidden="true" /> },
          ]}
        />
      </div>
    </div>
  )
}
