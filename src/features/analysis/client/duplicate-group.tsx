import { type ComponentType, useId, useRef, useState } from 'react'
import { Thumbnail } from '#features/media/client/thumbnail.tsx'
import { formatBytes } from '#shared/bytes.ts'
import { countOf } from '#shared/count.ts'
import { relativeDate } from '#shared/dates.ts'
import { Badge } from '#ui/badge.tsx'
import { Button } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'
import { classNames } from '#ui/class-names.ts'
import { LazyBoundary } from '#ui/lazy-boundary.tsx'
import { lazyComponent } from '#ui/lazy-component.tsx'
import type { Duplicate } from '../contract.ts'
import { bestCopy, isClearlyBest } from './best-copy.ts'
import { useDismissDuplicates } from './mutations.ts'
import { versionsInWords } from './similar-strip.tsx'

const CompareDialog = lazyComponent(
  () => import('./compare-dialog.tsx'),
  ({ CompareDialog }) => CompareDialog,
)

/** Merges items into the one that is kept. Passed in, because bulk actions depend on this feature. */
export type MergeButtonType = ComponentType<{ keptId: number; otherIds: readonly number[]; onMerged?: () => void }>

type DuplicateGroupProps = {
  group: Duplicate[]
  MergeButton: MergeButtonType
  /** The item the user chose to keep, if any. */
  keptId: number | undefined
  onKeep: (id: number) => void
  onOpen: (id: number) => void
}

/** A group of duplicates. The others are merged into the one that is kept, or the user marks them as different. */
export function DuplicateGroup({ group, MergeButton, keptId, onKeep, onOpen }: DuplicateGroupProps) {
  const best = bestCopy(group)
  const [isComparing, setIsComparing] = useState(false)
  const dismiss = useDismissDuplicates()
  const mediaIds = group.map(({ id }) => id)
  /**
   * A ref, as it changes before the next render: a second click would record nothing new, and its toast would have no undo.
   */
  const isBusy = useRef(false)
  const isDismissing = (differentId?: number) => dismiss.isPending && dismiss.variables.differentId === differentId
  const kept = group.find(({ id }) => id === keptId) ?? best
  const others = group.filter(({ id }) => id !== kept.id)
  const hasPictures = group.every(({ type }) => type === 'image')
  const name = useId()

  function markDifferent(differentId?: number) {
    if (isBusy.current) return
    isBusy.current = true
    const onSettled = () => {
      isBusy.current = false
    }
    dismiss.mutate({ mediaIds, differentId }, { onSettled })
  }

  return (
    <Card title={countOf(group.length, 'item')}>
      <div
        role="radiogroup"
        aria-label={`Which to keep: ${best.filename}`}
        className={classNames(
          'grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-4',
          group.length > 2 ? 'xl:grid-cols-3' : 'xl:grid-cols-2',
        )}
      >
        {group.map((media) => (
          <Copy
            key={media.id}
            media={media}
            name={name}
            isBest={media.id === best.id && isClearlyBest(best, group)}
            isKept={media.id === kept.id}
            onKeep={() => onKeep(media.id)}
            onOpen={() => onOpen(media.id)}
            // In a pair, marking one item as different is the same as marking both.
            onDifferent={group.length > 2 ? () => markDifferent(media.id) : undefined}
            isDismissing={isDismissing(media.id)}
          />
        ))}
      </div>
      <div className="mt-4 flex flex-wrap items-center justify-end gap-x-2 gap-y-2">
        <p className="wrap-anywhere mr-auto text-muted text-sm max-sm:basis-full xl:basis-full">{`Keep ${kept.filename}. ${others.length === 1 ? 'The other moves' : 'The others move'} to the Trash; tags, collections, texts and links are kept.`}</p>
        <Button variant="quiet" isPending={isDismissing()} onClick={() => markDifferent()} className="max-sm:grow">
          Mark as different
        </Button>
        {hasPictures && (
          <Button variant="quiet" onClick={() => setIsComparing(true)} className="max-sm:grow">
            Compare
          </Button>
        )}
        <MergeButton keptId={kept.id} otherIds={others.map(({ id }) => id)} />
      </div>
      {isComparing && (
        <LazyBoundary onFailed={() => setIsComparing(false)}>
          <CompareDialog
            group={group}
            kept={kept}
            onKeep={onKeep}
            MergeButton={MergeButton}
            onClose={() => setIsComparing(false)}
          />
        </LazyBoundary>
      )}
    </Card>
  )
}

type CopyProps = {
  media: Duplicate
  name: string
  isBest: boolean
  isKept: boolean
  onKeep: () => void
  onOpen: () => void
  onDifferent?: () => void
  isDismissing: boolean
}

function Copy({ media, name, isBest, isKept, onKeep, onOpen, onDifferent, isDismissing }: CopyProps) {
  const { filename, width, height, size, createdAt, publicUrl, collections, isFavorite, versionCount } = media
  return (
    <div
      data-media-id={media.id}
      className={classNames(
        'flex min-w-0 flex-col gap-2 rounded-md border p-2',
        isKept ? 'border-accent' : 'border-line',
      )}
    >
      <button
        type="button"
        tabIndex={0}
        aria-label={`Open ${filename}`}
        onClick={onOpen}
        className="block overflow-hidden rounded-sm"
      >
        <Thumbnail media={media} />
      </button>
      <label className="flex min-w-0 items-center gap-2 font-medium text-sm">
        <input
          type="radio"
          name={name}
          checked={isKept}
          onChange={onKeep}
          aria-label={`Keep ${filename}`}
          className="size-4 shrink-0 accent-accent"
        />
        <span className="min-w-0 truncate" title={filename}>
          {filename}
        </span>
      </label>
      <p className="figures text-muted text-xs">
        {width && height ? `${width} × ${height} · ` : ''}
        <span className="whitespace-nowrap">{formatBytes(size)}</span>
        <br />
        <time dateTime={createdAt} title={new Date(createdAt).toLocaleString()}>
          {relativeDate(createdAt)}
        </time>
      </p>
      {versionCount > 1 && <p className="text-muted text-xs">{versionsInWords(versionCount)}</p>}
      <p className="flex flex-wrap gap-1">
        {isBest && <Badge tone="success">Best</Badge>}
        {isFavorite && <Badge>Favorite</Badge>}
        {publicUrl && <Badge tone="info">Public</Badge>}
        {collections.length > 0 && <Badge>{`In ${countOf(collections.length, 'collection')}`}</Badge>}
      </p>
      {onDifferent && (
        <Button
          variant="quiet"
          size="sm"
          aria-label={`Mark as different: ${filename}`}
          isPending={isDismissing}
          onClick={onDifferent}
          className="-ml-2 mt-auto h-auto! min-h-7 max-w-[calc(100%+1rem)] self-start whitespace-normal! px-2! text-left"
        >
          Mark as different
        </Button>
      )}
    </div>
  )
}
