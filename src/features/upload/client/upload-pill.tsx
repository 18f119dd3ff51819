import CircleAlert from 'lucide-react/icons/circle-alert'
import { countOf } from '#shared/count.ts'
import { Progress } from '#ui/progress.tsx'
import { countByStatus, itemsInProgress, overallPercent } from './upload-queue.ts'
import { overallText } from './upload-text.ts'
import type { UploadState } from './uploader.ts'

/** Stands in for the closed dialog while an upload runs or has unfinished files. Opens the dialog. */
export function UploadPill({ queue, isUploading, samples, run, onOpen }: UploadState & { onOpen: () => void }) {
  const { failed, refused, cancelled } = countByStatus(queue)
  const left = failed + refused + cancelled
  if (!isUploading && left === 0) return null
  return (
    <button
      type="button"
      tabIndex={0}
      onClick={onOpen}
      className="fixed right-4 bottom-[max(1rem,env(safe-area-inset-bottom))] z-30 in-[body:has([data-bar-below])]:bottom-30 lg:in-[body:has([data-bar-below])]:bottom-20 w-80 max-w-[calc(100vw-2rem)] animate-rise-in rounded-md bg-overlay px-3.5 py-2.5 text-left shadow-float hover:bg-raised"
    >
      {isUploading ? (
        <Progress
          label="Uploading"
          value={overallPercent(itemsInProgress(queue))}
          detail={overallText({ queue, samples, run })}
        />
      ) : (
        <span className="flex items-center gap-2 text-sm">
          <CircleAlert aria-hidden="true" className="text-danger" />
          {countOf(left, 'file was', 'files were')} not uploaded
        </span>
      )}
    </button>
  )
}
