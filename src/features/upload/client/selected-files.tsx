import { formatBytes } from '#shared/bytes.ts'
import { countOf } from '#shared/count.ts'
import { Button } from '#ui/button.tsx'
import { useFocusThatStays } from '#ui/focus/use-focus-that-stays.ts'
import { doneLast, type UploadItem } from './upload-queue.ts'
import { UploadRow } from './upload-row.tsx'

type SelectedFilesProps = {
  items: readonly UploadItem[]
  /** The present moment, for speed and time left. */
  nowMs: number
  onRemove: (id: number) => void
  onCancel: (id: number) => void
  onRetry: (id: number) => void
  /** Absent while files are on their way. */
  onClear?: () => void
}

export function SelectedFiles({ items, nowMs, onClear, ...actions }: SelectedFilesProps) {
  const bytes = items.reduce((sum, { file }) => sum + file.size, 0)
  const list = useFocusThatStays<HTMLUListElement>(items.map(({ id }) => id).join())
  const isAllRefused = items.every(({ status }) => status === 'refused')
  return (
    <section>
      <div className="flex min-h-7 items-center justify-between gap-2">
        <h3 className="figures font-medium text-sm">
          {isAllRefused ? (
            countOf(items.length, 'file was not accepted', 'files were not accepted')
          ) : (
            <>
              {countOf(items.length, 'file')} <span className="font-normal text-muted">· {formatBytes(bytes)}</span>
            </>
          )}
        </h3>
        {onClear && items.length > 1 && (
          <Button size="sm" variant="quiet" onClick={onClear} className="-mr-2.5">
            Remove all
          </Button>
        )}
      </div>
      <ul {...list} aria-label="Selected files" className="flex flex-col divide-y divide-line">
        {doneLast(items).map((item) => (
          <UploadRow key={item.id} item={item} nowMs={item.status === 'sending' ? nowMs : 0} {...actions} />
        ))}
      </ul>
    </section>
  )
}
