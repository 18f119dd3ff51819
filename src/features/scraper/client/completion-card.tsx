import Images from 'lucide-react/icons/images'
import RefreshCw from 'lucide-react/icons/refresh-cw'
import RotateCcw from 'lucide-react/icons/rotate-ccw'
import { useLocation } from 'wouter'
import { countOf } from '#shared/count.ts'
import { Badge } from '#ui/badge.tsx'
import { Button } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'
import { Progress } from '#ui/progress.tsx'
import { ScrollArea } from '#ui/scroll-area.tsx'
import type { FailedImage, RunProgress } from '../contract.ts'
import type { Run } from './scrape-flow.ts'
import type { Scraper } from './use-scraper.ts'

type CompletionCardProps = { scraper: Scraper; run: Run; onStartOver: () => void }

export function CompletionCard({ scraper, run, onStartOver }: CompletionCardProps) {
  const [, navigate] = useLocation()
  const { progress, failed } = run
  const { current, total, stoppedCount, results } = progress!
  const { successCount, errorCount } = results
  const isWhole = errorCount === 0 && stoppedCount === 0
  const percent = Math.round((100 * current) / total)
  return (
    <Card
      title={stoppedCount > 0 ? 'Upload stopped' : 'Upload complete'}
      description={outcomeOf(progress!)}
      action={
        <Badge tone={isWhole ? 'success' : 'neutral'}>
          {current}/{total}
        </Badge>
      }
    >
      <Progress
        label={countOf(successCount, 'image uploaded', 'images uploaded')}
        value={percent}
        detail={`${percent}%`}
        tone={successCount > 0 || stoppedCount > 0 ? 'success' : 'danger'}
      />
      <p className="figures flex gap-4 pt-3 text-muted text-sm">
        <span>{successCount} uploaded</span>
        {errorCount > 0 ? (
          // The toast mentions only what was uploaded.
          <span role="alert" className="text-danger">
            {errorCount} failed
          </span>
        ) : (
          <span>0 failed</span>
        )}
      </p>
      {errorCount > 0 && <FailedImages failed={failed} total={errorCount} onRetry={scraper.retry} />}
      <div className="flex flex-wrap gap-2 pt-4">
        <Button
          icon={<Images aria-hidden="true" />}
          onClick={() => {
            scraper.dismiss()
            navigate('/')
          }}
        >
          View Media Library
        </Button>
        <Button icon={<RotateCcw aria-hidden="true" />} onClick={onStartOver}>
          Start Over
        </Button>
      </div>
    </Card>
  )
}

function outcomeOf({ stoppedCount, results: { successCount, errorCount } }: RunProgress) {
  if (stoppedCount > 0)
    return `${countOf(stoppedCount, 'image was', 'images were')} not uploaded. Uploaded images stay in your media library.`
  if (errorCount === 0) return 'All selected images are in your media library.'
  return successCount > 0 ? 'Some images could not be downloaded.' : 'No images could be downloaded.'
}

type FailedImagesProps = { failed: readonly FailedImage[]; total: number; onRetry: () => void }

function FailedImages({ failed, total, onRetry }: FailedImagesProps) {
  return (
    <section aria-label="Failed images" className="mt-4 overflow-clip rounded-md border border-line">
      <div className="flex flex-wrap items-center justify-between gap-2 border-line border-b px-3.5 py-2">
        <h3 className="font-medium text-sm">{countOf(total, 'image')} could not be uploaded</h3>
        <Button size="sm" icon={<RefreshCw aria-hidden="true" />} onClick={onRetry}>
          Try again
        </Button>
      </div>
      <ScrollArea label="Failed images and why" className="max-h-72">
        <ul className="divide-y divide-line">
          {failed.map(({ id, name, address, message }) => (
            <li key={id} className="px-3.5 py-2 text-sm">
              <p className="truncate font-medium">{name}</p>
              <p className="truncate text-faint text-xs">{address}</p>
              <p className="text-pretty text-danger">{message}</p>
            </li>
          ))}
        </ul>
      </ScrollArea>
    </section>
  )
}
