import CircleAlert from 'lucide-react/icons/circle-alert'
import CircleCheck from 'lucide-react/icons/circle-check'
import RotateCw from 'lucide-react/icons/rotate-cw'
import X from 'lucide-react/icons/x'
import { memo } from 'react'
import { classNames } from '#ui/class-names.ts'
import { IconButton } from '#ui/icon-button.tsx'
import { Progress } from '#ui/progress.tsx'
import { FileThumbnail } from './file-thumbnail.tsx'
import { isActive, isCancellable, type UploadItem } from './upload-queue.ts'
import { itemWords } from './upload-words.ts'

type UploadRowProps = {
  item: UploadItem
  /** The present moment, for speed and time left; the same for rows that stand still. */
  nowMs: number
  onRemove: (id: number) => void
  onCancel: (id: number) => void
  onRetry: (id: number) => void
}

/** One file: its picture, its name, where it stands, and what can be done about it. */
export const UploadRow = memo(function UploadRow({ item, nowMs, onRemove, onCancel, onRetry }: UploadRowProps) {
  const { id, file, status } = item
  const isBad = status === 'failed' || status === 'refused'
  return (
    <li className="flex min-h-14 items-center gap-3 py-2 [contain-intrinsic-size:auto_3.5rem] [content-visibility:auto]">
      <FileThumbnail file={file} />
      <div className="min-w-0 grow">
        <p className="truncate text-sm" title={file.name}>
          {file.name}
        </p>
        <p className={classNames('figures flex items-start gap-1 text-xs', isBad ? 'text-danger' : 'text-muted')}>
          {isBad && <CircleAlert aria-hidden="true" className="mt-px" />}
          <span className={isBad ? 'text-pretty' : 'truncate'}>{itemWords(item, nowMs)}</span>
        </p>
        {isActive(item) && <Progress isBare label={`Uploading ${file.name}`} value={item.percent} className="mt-1.5" />}
      </div>
      {(status === 'failed' || status === 'cancelled') && (
        <IconButton
          label={`Retry ${file.name}`}
          icon={<RotateCw />}
          size="sm"
          hasTooltip={false}
          onClick={() => onRetry(id)}
        />
      )}
      {status === 'done' && <CircleCheck aria-label="Uploaded" className="mr-1.5 text-success" />}
      {/* What is being saved keeps the room of its button: all bars end at one line. */}
      {isActive(item) && !isCancellable(item) && <span className="size-7 shrink-0" />}
      {isCancellable(item) && (
        <IconButton
          label={`Cancel ${file.name}`}
          icon={<X />}
          size="sm"
          hasTooltip={false}
          onClick={() => onCancel(id)}
        />
      )}
      {!isActive(item) && status !== 'done' && (
        <IconButton
          label={`Remove ${file.name}`}
          icon={<X />}
          size="sm"
          hasTooltip={false}
          onClick={() => onRemove(id)}
        />
      )}
    </li>
  )
})
