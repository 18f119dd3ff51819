import CircleAlert from 'lucide-react/icons/circle-alert'
import CircleCheck from 'lucide-react/icons/circle-check'
import Film from 'lucide-react/icons/film'
import ImageIcon from 'lucide-react/icons/image'
import RotateCw from 'lucide-react/icons/rotate-cw'
import X from 'lucide-react/icons/x'
import { memo, useEffect, useRef, useState } from 'react'
import { formatBytes } from '#shared/bytes.ts'
import { countOf } from '#shared/count.ts'
import { Button } from '#ui/button.tsx'
import { classNames } from '#ui/class-names.ts'
import { useListFocus } from '#ui/focus/use-list-focus.ts'
import { IconButton } from '#ui/icon-button.tsx'
import { Progress } from '#ui/progress.tsx'
import { doneLast, isActive, isCancellable, type UploadItem } from './upload-queue.ts'
import { itemText } from './upload-text.ts'

type SelectedFilesProps = {
  items: readonly UploadItem[]
  /** The current time, for speed and time left. */
  nowMs: number
  onRemove: (id: number) => void
  onCancel: (id: number) => void
  onRetry: (id: number) => void
  /** Absent during an upload. */
  onClear?: () => void
}

export function SelectedFiles({ items, nowMs, onClear, ...actions }: SelectedFilesProps) {
  const bytes = items.reduce((sum, { file }) => sum + file.size, 0)
  const list = useListFocus<HTMLUListElement>(items.map(({ id }) => id).join())
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

type UploadRowProps = {
  item: UploadItem
  /** The current time, for speed and time left; constant for rows that are not sending. */
  nowMs: number
  onRemove: (id: number) => void
  onCancel: (id: number) => void
  onRetry: (id: number) => void
}

/** One file: preview, name, status and actions. */
const UploadRow = memo(function UploadRow({ item, nowMs, onRemove, onCancel, onRetry }: UploadRowProps) {
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
          <span className={isBad ? 'text-pretty' : 'truncate'}>{itemText(item, nowMs)}</span>
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
      {/* Keeps the width of the cancel button, so that all bars end at one line. */}
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

/** A preview of a local file. */
function FileThumbnail({ file }: { file: File }) {
  const boxRef = useRef<HTMLDivElement>(null)
  const isVisible = useIsVisible(boxRef)
  const url = useObjectUrl(isVisible ? file : undefined)
  const isVideo = file.type.startsWith('video/')
  const fill = 'absolute inset-0 size-full object-cover'
  return (
    <div
      ref={boxRef}
      className="relative grid size-10 shrink-0 place-items-center overflow-hidden rounded-sm bg-line text-faint"
    >
      {/* Stays visible if the browser cannot show the file. */}
      {isVideo ? <Film aria-hidden="true" /> : <ImageIcon aria-hidden="true" />}
      {url && !isVideo && <img src={url} alt="" decoding="async" className={fill} onError={hide} />}
      {url && isVideo && (
        <video
          src={`${url}#t=0.1`}
          muted
          preload="metadata"
          // Firefox would otherwise include the video in the tab order.
          tabIndex={-1}
          aria-hidden="true"
          className={fill}
          onError={hide}
        />
      )}
    </div>
  )
}

function hide({ currentTarget }: { currentTarget: HTMLElement }) {
  currentTarget.hidden = true
}

/** An object URL for a file, revoked when it is no longer needed. */
function useObjectUrl(file: File | undefined): string | undefined {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    if (!file) return
    const created = URL.createObjectURL(file)
    setUrl(created)
    return () => URL.revokeObjectURL(created)
  }, [file])
  return url
}

/** True once the element has come near the viewport, so that hundreds of large photos are not decoded at once. */
function useIsVisible(ref: React.RefObject<Element | null>): boolean {
  const [isVisible, setIsSeen] = useState(false)
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return
        setIsSeen(true)
        observer.disconnect()
      },
      { rootMargin: '200px' },
    )
    if (ref.current) observer.observe(ref.current)
    return () => observer.disconnect()
  }, [ref])
  return isVisible
}
