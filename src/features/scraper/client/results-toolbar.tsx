import CloudUpload from 'lucide-react/icons/cloud-upload'
import { Button } from '#ui/button.tsx'
import type { Scraper } from './use-scraper.ts'

/** Stays in view under the top bar: a notice may lie over the foot of the page, and a gallery is long. */
export function ResultsToolbar({ scraper, isBusy }: { scraper: Scraper; isBusy: boolean }) {
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
