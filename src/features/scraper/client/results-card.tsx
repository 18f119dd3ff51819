import ChevronLeft from 'lucide-react/icons/chevron-left'
import ChevronRight from 'lucide-react/icons/chevron-right'
import CloudUpload from 'lucide-react/icons/cloud-upload'
import LayoutGrid from 'lucide-react/icons/layout-grid'
import List from 'lucide-react/icons/list'
import { useMemo } from 'react'
import { PatternField } from '#features/media/client/pattern-field.tsx'
import { problemOf } from '#features/media/name-pattern.ts'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { Field } from '#ui/forms/field.tsx'
import { SegmentedControl } from '#ui/forms/segmented-control.tsx'
import { Select } from '#ui/forms/select.tsx'
import type { ScrapePreview } from '../contract.ts'
import { webNamesOf } from '../web-names-of.ts'
import { ResultGrid } from './result-grid.tsx'
import { ResultList } from './result-list.tsx'
import { pageOf, pageSummary, type ResultPageSize, type ResultsView, resultPageSizes } from './result-pages.ts'
import { type Naming, patternOf, type ScrapeFlow } from './scrape-flow.ts'
import type { Scraper } from './use-scraper.ts'

type ResultsCardProps = { scraper: Scraper; preview: ScrapePreview; isBusy: boolean; onStartOver: () => void }

export function ResultsCard({ scraper, preview, isBusy, onStartOver }: ResultsCardProps) {
  const { flow, dispatch } = scraper
  const { view, selectedIds } = flow
  const shown = pageOf(preview.images, view)
  const webNames = useWebNames(flow)
  const isEmpty = preview.images.length === 0
  const results = {
    images: shown.items.map((image) => ({
      ...image,
      intelligentName: webNames.get(image.id) ?? image.intelligentName,
    })),
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
          <NamesChoice scraper={scraper} isBusy={isBusy} />
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
        disabled={size === 0 || (flow.naming.names === 'custom' && problemOf(flow.naming.pattern) !== undefined)}
        isPending={isBusy}
        onClick={uploadSelected}
        className="ml-auto max-sm:w-full"
      >
        Upload Selected ({size})
      </Button>
    </div>
  )
}

const namings: { value: Naming['names']; label: string }[] = [
  { value: 'keep', label: 'Keep names' },
  { value: 'web', label: 'Web names' },
  { value: 'custom', label: 'Custom pattern' },
]

/** The names in the list change with the choice, before anything is uploaded. */
function NamesChoice({ scraper: { flow, dispatch }, isBusy }: { scraper: Scraper; isBusy: boolean }) {
  const change = (change: Partial<Naming>) => dispatch({ type: 'naming-changed', change })
  return (
    <div className="flex flex-wrap items-start gap-3 px-4 pb-3">
      <Field label="Names" className="w-44 max-sm:w-full">
        <Select
          options={namings}
          value={flow.naming.names}
          disabled={isBusy}
          onValueChange={(names) => change({ names: names as Naming['names'] })}
        />
      </Field>
      {flow.naming.names === 'custom' && (
        <div className="min-w-60 grow">
          <PatternField pattern={flow.naming.pattern} onChange={(pattern) => change({ pattern })} />
        </div>
      )}
    </div>
  )
}

/** By image, of the selected ones in their order, as the server names them. */
function useWebNames(flow: ScrapeFlow): Map<string, string> {
  const { preview, selectedIds } = flow
  const pattern = patternOf(flow)
  return useMemo(() => {
    if (pattern === undefined || !preview) return new Map()
    const images = preview.images.filter(({ id }) => selectedIds.has(id))
    const names = webNamesOf(
      images.map(({ originalUrl, intelligentName }) => ({ name: intelligentName, address: originalUrl })),
      { pattern: problemOf(pattern) ? '' : pattern, pageUrl: preview.pageUrl },
    )
    return new Map(images.map(({ id }, index) => [id, names[index]!]))
  }, [pattern, preview, selectedIds])
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
