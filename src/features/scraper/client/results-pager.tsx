import ChevronLeft from 'lucide-react/icons/chevron-left'
import ChevronRight from 'lucide-react/icons/chevron-right'
import { Button } from '#ui/button.tsx'
import { type pageOf, pageSummary } from './result-pages.ts'
import type { Scraper } from './use-scraper.ts'

type ResultsPagerProps = { shown: ReturnType<typeof pageOf>; total: number; dispatch: Scraper['dispatch'] }

/** Words where there is room, the arrows alone on phones. */
export function ResultsPager({ shown, total, dispatch }: ResultsPagerProps) {
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
