import Globe from 'lucide-react/icons/globe'
import { memo, useState } from 'react'
import { formatBytes } from '#shared/bytes.ts'
import { formatDuration } from '#shared/duration.ts'
import { classNames } from '#ui/class-names.ts'
import { Checkbox } from '#ui/forms/checkbox.tsx'
import type { Media } from '../contract.ts'
import { CardMenu } from './card-menu.tsx'
import { FavoriteButton } from './favorite-button.tsx'
import { InlineName } from './inline-name.tsx'
import { itemDate } from './item-date.ts'
import { type ItemActions, pictureRole, pressAround, pressItem } from './press-item.ts'
import { Thumbnail } from './thumbnail.tsx'

type MediaRowProps = ItemActions & { media: Media; isSelecting: boolean; isSelected: boolean }

/** Reserves the space of a row that is not rendered yet. */
export const MediaRowSpace = () => <tr className="h-12 border-line border-b" />

/** A 48-pixel row with a 40-pixel thumbnail and aligned columns. Clicking anywhere in the row opens the item. */
export const MediaRow = memo(function MediaRow(props: MediaRowProps) {
  const { media, isSelecting, isSelected, onMove, onDelete, onCopyForWebsite, onRemoveFromCollection, isSmart } = props
  const [isEditing, setIsEditing] = useState(false)
  const facts = `${formatBytes(media.size)} · ${itemDate(media)}`
  return (
    <tr
      data-media-id={media.id}
      onClick={isEditing ? undefined : (event) => pressAround(props, event)}
      className={classNames(
        'group/card h-12 cursor-default border-line border-b hover:bg-hover',
        isSelected && 'bg-accent/10',
      )}
    >
      {isSelecting && (
        <td className="w-9 pl-2">
          <Checkbox aria-hidden="true" tabIndex={-1} checked={isSelected} className="pointer-events-none" />
        </td>
      )}
      <td className="w-14 pl-2">
        <button
          type="button"
          tabIndex={0}
          data-carries
          {...pictureRole(props)}
          onClick={(event) => pressItem(props, event)}
          className="block w-10 scroll-my-24 overflow-hidden rounded-sm"
        >
          <Thumbnail media={media} />
        </button>
      </td>
      <th scope="row" className="max-w-0 pr-4 text-left font-normal">
        <InlineName
          media={media}
          isEditable={!isSelecting}
          isEditing={isEditing}
          onEditingChange={setIsEditing}
          className="font-medium"
        />
        <p className="figures truncate text-muted text-xs sm:hidden">{facts}</p>
      </th>
      <td className="w-40 truncate pr-4 text-faint text-sm max-xl:hidden">{media.aiTags.slice(0, 2).join(', ')}</td>
      <td className="w-20 text-muted text-sm max-md:hidden">
        {media.mimeType
          .replace(/^(image|video)\//, '')
          .replace('quicktime', 'mov')
          .replace('x-msvideo', 'avi')
          .toUpperCase()}
      </td>
      <td className="figures w-28 text-muted text-sm max-lg:hidden">
        {media.duration !== null ? formatDuration(media.duration) : media.width && `${media.width} × ${media.height}`}
      </td>
      <td className="figures w-24 text-right text-muted text-sm max-sm:hidden">{formatBytes(media.size)}</td>
      <td className="figures w-30 pl-6 text-muted text-sm max-sm:hidden">{itemDate(media)}</td>
      <td className="w-24 pr-2">
        <div className="flex items-center justify-end gap-1">
          {media.publicUrl && <Globe aria-label="Public" role="img" className="size-4 text-muted" />}
          {!isSelecting && <FavoriteButton media={media} isOnPicture={false} />}
          {!isSelecting && (
            <CardMenu
              media={media}
              onRename={() => setIsEditing(true)}
              onMove={onMove}
              onDelete={onDelete}
              onCopyForWebsite={onCopyForWebsite}
              onRemoveFromCollection={onRemoveFromCollection}
              isSmart={isSmart}
            />
          )}
        </div>
      </td>
    </tr>
  )
})
