import ChevronLeft from 'lucide-react/icons/chevron-left'
import ChevronRight from 'lucide-react/icons/chevron-right'
import CloudUpload from 'lucide-react/icons/cloud-upload'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import type { ScrapePreview } from '../contract.ts'
import { ResultGrid } from './result-grid.tsx'
import { ResultList } from './result-list.tsx'
import { pageOf, pageSummary } from './result-pages.ts'
import { ResultsToolbar } from './results-toolbar.tsx'
import type { Scraper } from './use-scraper.ts'

type ResultsCardProps = { scraper: Scraper; preview: ScrapePreview; isBusy: boolean }

export function ResultsCard({ scraper, preview, isBusy }: ResultsCardProps) {
  const { flow, dispatch, uploadSelected } = scraper
  const { view, selectedIds } = flow
  const shown = pageOf(preview.images, view)
  const turnTo = (page: number) => dispatch({ type: 'view-changed', change: { page } })
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
      isFlush
    >
      {preview.hint && (
        <Alert tone="info" title="Some images may be missing" className="mx-4 mb-4">
          {preview.hint}
        </Alert>
      )}
      {preview.images.length === 0 ? (
        <EmptyState drawing="search" title="No images were found on this page." />
      ) : (
        <>
          <ResultsToolbar flow={flow} dispatch={dispatch} isDisabled={isBusy} />
          {view.layout === 'grid' ? <ResultGrid {...results} /> : <ResultList {...results} />}
          <div className="sticky bottom-0 z-10 flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-line border-t bg-surface px-4 py-3">
            <nav aria-label="Pages of results" className="flex items-center gap-1">
              <Button
                variant="quiet"
                size="sm"
                icon={<ChevronLeft aria-hidden="true" />}
                disabled={!shown.hasPrevious}
                onClick={() => turnTo(shown.page - 1)}
              >
                <span className="max-sm:sr-only">Previous</span>
              </Button>
              <span aria-live="polite" className="figures px-1 text-muted text-sm">
                {pageSummary(shown, preview.images.length)}
              </span>
              <Button variant="quiet" size="sm" disabled={!shown.hasNext} onClick={() => turnTo(shown.page + 1)}>
                <span className="max-sm:sr-only">Next</span>
                <ChevronRight aria-hidden="true" />
              </Button>
            </nav>
            <Button
              variant="primary"
              icon={<CloudUpload aria-hidden="true" />}
              disabled={selectedIds.size === 0}
              isPending={isBusy}
              onClick={uploadSelected}
              className="max-sm:w-full"
            >
              Upload Selected ({selectedIds.size})
            </Button>
          </div>
        </>
      )}
    </Card>
  )
}
