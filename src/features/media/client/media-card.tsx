import CircleAlert from 'lucide-react/icons/circle-alert'
import Folder from 'lucide-react/icons/folder'
import Globe from 'lucide-react/icons/globe'
import Sparkles from 'lucide-react/icons/sparkles'
import { memo, useState } from 'react'
import { Link } from 'wouter'
import { formatBytes } from '#shared/bytes.ts'
import { formatDuration } from '#shared/duration.ts'
import { classNames } from '#ui/class-names.ts'
import { Checkbox } from '#ui/forms/checkbox.tsx'
import { PictureLabel } from '#ui/picture-label.tsx'
import type { Media } from '../contract.ts'
import { tagSearch } from '../search-query.ts'
import { CardMenu } from './card-menu.tsx'
import { FavoriteButton } from './favorite-button.tsx'
import { InlineName } from './inline-name.tsx'
import { itemDate } from './item-date.ts'
import { PlaybackState } from './playback-state.tsx'
import { type ItemActions, pictureRole, pressAround, pressItem } from './press-item.ts'
import { revealedOnPicture } from './revealed-classes.ts'
import { SpriteScrubber } from './sprite-scrubber.tsx'
import { Thumbnail } from './thumbnail.tsx'

type MediaCardProps = ItemActions & {
  media: Media
  isSelecting: boolean
  isSelected: boolean
  /** Other items are selected. */
  isDimmed: boolean
  isUrgent: boolean
  /** The position among all pages; without it screen readers count only the items shown. */
  position?: number
  count?: number
  inCollection?: number
}

const shownTags = 2

/**
 * A square picture, two lines of text, and a line each for tags and collections. Both lines keep their room when they are
 * empty, so that no row grows when an analysis ends or an item joins a collection.
 */
export const cardHeight = '[--card-height:calc(var(--column-width)+6.3rem)]'

/** The picture, below it a line with the name, one with facts, and badges. */
export const MediaCard = memo(function MediaCard(props: MediaCardProps) {
  const { media, isSelecting, isSelected, isDimmed, isUrgent, position, count, inCollection } = props
  const { onMove, onDelete, onCopyForWebsite, onRemoveFromCollection, isSmart } = props
  const [isEditing, setIsEditing] = useState(false)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: keyboard users press the picture, which is a button
    <li
      data-media-id={media.id}
      aria-posinset={position}
      aria-setsize={count}
      onClick={isEditing ? undefined : (event) => pressAround(props, event)}
      // `content-visibility` clips at the edge; the negative margin with padding leaves room for focus rings.
      className={classNames(
        'group/card relative -m-1 flex min-w-0 flex-col gap-2 p-1',
        '[contain-intrinsic-size:auto_var(--card-height)] [content-visibility:auto]',
        cardHeight,
      )}
    >
      <div className="relative">
        <button
          type="button"
          tabIndex={0}
          data-carries
          onClick={(event) => pressItem(props, event)}
          {...pictureRole(props)}
          className={classNames(
            'block w-full scroll-my-24 overflow-hidden rounded-picture transition-opacity',
            // Next to selected pictures the others are dimmed, while their names stay readable.
            isDimmed && 'opacity-60 hover:opacity-100',
          )}
        >
          <Thumbnail media={media} isUrgent={isUrgent} />
          {media.sprite && !isSelecting && <SpriteScrubber sprite={media.sprite} />}
        </button>
        {isSelected && (
          <div className="pointer-events-none absolute inset-0 rounded-picture ring-3 ring-accent ring-inset" />
        )}
        <Checkbox
          // Keyboards have a key for it, and in select mode the picture is the checkbox.
          aria-hidden="true"
          tabIndex={-1}
          checked={isSelected}
          // The focus stays on the picture, where the keys work.
          onMouseDown={(event) => event.preventDefault()}
          onClick={(event) => props.onToggle(media, event.shiftKey)}
          className={classNames(
            'absolute! top-2 left-2 [&>input]:rounded-full',
            isSelecting ? 'pointer-events-none' : ['pointer-coarse:hidden', revealedOnPicture].join(' '),
          )}
        />
        <PictureMarks media={media} isSelecting={isSelecting} />
        {!isSelecting && (
          <div className="absolute top-1.5 right-1.5 flex gap-1">
            <CardMenu
              media={media}
              onRename={() => setIsEditing(true)}
              onMove={onMove}
              onDelete={onDelete}
              onCopyForWebsite={onCopyForWebsite}
              onRemoveFromCollection={onRemoveFromCollection}
              isSmart={isSmart}
              isOnPicture
            />
            <FavoriteButton media={media} />
          </div>
        )}
      </div>
      <div className="min-w-0 space-y-0.5 px-0.5 pb-2">
        <InlineName
          media={media}
          isEditable={!isSelecting}
          isEditing={isEditing}
          onEditingChange={setIsEditing}
          className="font-medium text-sm"
        />
        <p className="figures truncate text-muted text-xs">
          {formatBytes(media.size)} · {itemDate(media)}
        </p>
        <CardLabels media={media} isSelecting={isSelecting} inCollection={inCollection} />
      </div>
    </li>
  )
})

/** Reserves the space of a card that is not rendered yet. */
export function MediaCardSpace() {
  return <li aria-hidden="true" className={classNames('-m-1 h-[calc(var(--card-height)+0.5rem)]', cardHeight)} />
}

function PictureMarks({ media, isSelecting }: { media: Media; isSelecting: boolean }) {
  return (
    <div className="pointer-events-none absolute inset-x-1.5 bottom-1.5 flex flex-wrap items-end gap-1">
      {media.publicUrl && (
        <PictureLabel>
          <Globe aria-hidden="true" />
          Public
        </PictureLabel>
      )}
      {media.file !== 'ok' && (
        <PictureLabel>
          <CircleAlert aria-hidden="true" />
          <span className="truncate">File {media.file}</span>
        </PictureLabel>
      )}
      <PlaybackState media={media} canRetry={!isSelecting} />
      {(media.duration !== null || media.isAnimated) && media.playback !== 'failed' && (
        <PictureLabel className="figures ml-auto">
          {media.duration !== null ? formatDuration(media.duration) : filmOf(media)}
        </PictureLabel>
      )}
    </div>
  )
}

/** A thumbnail is a still image, so this badge marks animated pictures. */
const filmOf = ({ mimeType }: Media) => (mimeType === 'image/gif' ? 'GIF' : 'Animated')

function CardLabels({
  media,
  isSelecting,
  inCollection,
}: Pick<MediaCardProps, 'media' | 'isSelecting' | 'inCollection'>) {
  const [collection, ...others] = media.collections.filter(({ id }) => id !== inCollection)
  const isWaiting = media.aiStatus === 'waiting'
  return (
    <>
      <p className="flex h-5.5 min-w-0 items-center gap-1.5 overflow-hidden text-muted text-xs [&_.lucide]:size-3">
        {isWaiting && (
          <span className="flex shrink-0 items-center gap-1">
            <Sparkles aria-hidden="true" className="motion-safe:animate-breathe" />
            {/* With tags there is no room for the label. */}
            <span className={classNames(media.aiTags.length > 0 && 'sr-only')}>Analyzing…</span>
          </span>
        )}
        {media.aiTags.slice(0, shownTags).map((tag) => (
          <Link
            key={tag}
            href={`/?${new URLSearchParams({ search: tagSearch(tag) })}`}
            // The viewer has them for the keyboard; here they would be hundreds of stops.
            tabIndex={-1}
            draggable={false}
            className={classNames(
              'min-w-8 truncate rounded-sm bg-hover px-1.5 py-px not-last:max-w-3/5 not-last:shrink-0 hover:text-ink',
              isSelecting && 'pointer-events-none',
            )}
          >
            {tag}
          </Link>
        ))}
      </p>
      <p className="flex h-5 min-w-0 items-center gap-1 text-muted text-xs [&_.lucide]:size-3">
        {collection && (
          <>
            <Folder aria-hidden="true" className="shrink-0" />
            <span className="truncate">{collection.name}</span>
            {others.length > 0 && <span className="figures shrink-0">+{others.length}</span>}
          </>
        )}
      </p>
    </>
  )
}
