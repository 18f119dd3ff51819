import ChevronLeft from 'lucide-react/icons/chevron-left'
import ChevronRight from 'lucide-react/icons/chevron-right'
import CloudUpload from 'lucide-react/icons/cloud-upload'
import LayoutGrid from 'lucide-react/icons/layout-grid'
import List from 'lucide-react/icons/list'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { SegmentedControl } from '#ui/forms/segmented-control.tsx'
import { Select } from '#ui/forms/select.tsx'
import type { ScrapePreview } from '../contract.ts'
import { ResultGrid } from './result-grid.tsx'
import { ResultList } from './result-list.tsx'
import { pageOf, pageSummary, type ResultPageSize, type ResultsView, resultPageSizes } from './result-pages.ts'
import type { Scraper } from './use-scraper.ts'

type ResultsCardProps = { scraper: Scraper; preview: ScrapePreview; isBusy: boolean; onStartOver: () => void }

export function ResultsCard({ scraper, preview, isBusy, onStartOver }: ResultsCardProps) {
  const { flow, dispatch } = scraper
  const { view, selectedIds } = flow
  const shown = pageOf(preview.images, view)
  const isEmpty = preview.images.length === 0
  const results = {
    images: shown.items,
    selectedIds,
    isDisabled: isBusy,
    onToggle: (id: string) => dispatch({ type: 'toggled', id }),
  }
  return (
    <Card
      title={`Found ${preview.totalFound} Images`}
      description={<span className="line-clamp-2">{preview.pageTitle}</span>}
      action={!isEmpty && <ResultsViewControls view={view} dispatch={dispatch} />}
      isFlush
    >
      {preview.hint && (
        <Alert tone="info" title="Some images may be missing" className="mx-4 mb-4">
          {preview.hint}
        </Alert>
      )}
      {isEmpty ? (
        <EmptyState
          drawing="search"
          title="No images were found on this page."
          action={<Button onClick={onStartOver}>Start Over</Button>}
        />
      ) : (
        <>
          <ResultsToolbar scraper={scraper} isBusy={isBusy} />
          {view.layout === 'grid' ? <ResultGrid {...results} /> : <ResultList {...results} />}
          <ResultsPager shown={shown} total={preview.images.length} dispatch={dispatch} />
        </>
      )}
    </Card>
  )
}

const sizes = resultPageSizes.map((size) => ({ value: String(size), label: `${size} per page` }))

function ResultsViewControls({ view, dispatch }: { view: ResultsView; dispatch: Scraper['dispatch'] }) {
  const change = (view: Partial<ResultsView>) => dispatch({ type: 'view-changed', change: view })
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

/** Sticky under the top bar, because a gallery is long and a toast may cover the bottom of the page. */
function ResultsToolbar({ scraper, isBusy }: { scraper: Scraper; isBusy: boolean }) {
  const { flow, dispatch, uploadSelected } = scraper
  const { size } = flow.selectedIds
  return (
    <div className="sticky top-14 z-10 flex flex-wrap items-center gap-2 border-line border-b bg-surface px-4 py-3">
      <Button disabled={isBusy} onClick={() => dispatch({ type: 'all-selected' })}>
        Select All
      </Button>
      <Button disabled={isBusy || size === 0} onClick={() => dispatch({ type: 'all-cleared' })}>
        Clear All
      </Button>
      <span aria-live="polite" aria-atomic="true" className="figures px-1 text-muted text-sm">
        {size} selected
      </span>
      <Button
        icon={<CloudUpload aria-hidden="true" />}
        disabled={size === 0}
        isPending={isBusy}
        onClick={uploadSelected}
        className="ml-auto max-sm:w-full"
      >
        Upload Selected ({size})
      </Button>
    </div>
  )
}

type ResultsPagerProps = { shown: ReturnType<typeof pageOf>; total: number; dispatch: Scraper['dispatch'] }

/** Labels where there is room, only arrows on phones. */
function ResultsPager({ shown, total, dispatch }: ResultsPagerProps) {
  const turnTo = (page: number) => dispatch({ type: 'view-changed', change: { page } })
  return (
    <nav
      aria-label="Pages of results"
      className="flex items-center justify-center gap-1 border-line border-t px-4 py-3 max-sm:justify-between"
    >
      <Button
        variant="quiet"
        size="sm"
        icon={<ChevronLeft aria-hidden="true" />}
        isInactive={!shown.hasPrevious}
        onClick={() => turnTo(shown.page - 1)}
      >
        <span className="max-sm:sr-only">Previous</span>
      </Button>
      <span aria-live="polite" aria-atomic="true" className="figures px-1 text-center text-muted text-sm">
        {pageSummary(shown, total)}
      </span>
      <Button variant="quiet" size="sm" isInactive={!shown.hasNext} onClick={() => turnTo(shown.page + 1)}>
        <span className="max-sm:sr-only">Next</span>
        <ChevronRight aria-hidden="true" />
      </Button>
    </nav>
  )
}
