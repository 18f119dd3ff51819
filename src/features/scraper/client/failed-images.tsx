import RefreshCw from 'lucide-react/icons/refresh-cw'
import { countOf } from '#shared/count.ts'
import { Button } from '#ui/button.tsx'
import { ScrollArea } from '#ui/scroll-area.tsx'
import type { FailedImage } from '../contract.ts'

type FailedImagesProps = { failed: readonly FailedImage[]; total: number; onRetry: () => void }

export function FailedImages({ failed, total, onRetry }: FailedImagesProps) {
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
