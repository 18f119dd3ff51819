import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import type { ScrapePreview } from '../contract.ts'
import { ResultGrid } from './result-grid.tsx'
import { ResultList } from './result-list.tsx'
import { pageOf } from './result-pages.ts'
import { ResultsPager } from './results-pager.tsx'
import { ResultsToolbar } from './results-toolbar.tsx'
import { ResultsViewControls } from './results-view-controls.tsx'
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
