import LayoutGrid from 'lucide-react/icons/layout-grid'
import List from 'lucide-react/icons/list'
import { SegmentedControl } from '#ui/forms/segmented-control.tsx'
import { Select } from '#ui/forms/select.tsx'
import { type ResultPageSize, type ResultsView, resultPageSizes } from './result-pages.ts'
import type { Scraper } from './use-scraper.ts'

const sizes = resultPageSizes.map((size) => ({ value: String(size), label: `${size} per page` }))

export function ResultsViewControls({ view, dispatch }: { view: ResultsView; dispatch: Scraper['dispatch'] }) {
  const change = (wish: Partial<ResultsView>) => dispatch({ type: 'view-changed', change: wish })
  return (
    <>
      <Select
        label="Images per page"
        variant="button"
        title="Images per page"
        options={sizes}
        value={String(view.pageSize)}
        onValueChange={(value) => change({ pageSize: Number(value) as ResultPageSize })}
      />
      <SegmentedControl
        label="Layout"
        isIconOnly
        value={view.layout}
        onValueChange={(layout) => change({ layout })}
        segments={[
          { value: 'grid', label: 'Grid view', icon: <LayoutGrid aria-hidden="true" /> },
          { value: 'list', label: 'List view', icon: <List aria-hidden="true" /> },
        ]}
      />
    </>
  )
}
