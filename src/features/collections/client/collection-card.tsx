import Globe from 'lucide-react/icons/globe'
import ImageIcon from 'lucide-react/icons/image'
import { Thumbnail } from '#features/media/client/thumbnail.tsx'
import { countOf, itemsInWords } from '#shared/count.ts'
import { classNames } from '#ui/class-names.ts'
import { PictureLabel } from '#ui/picture-label.tsx'
import type { Collection } from '../contract.ts'
import { sampleSize } from '../limits.ts'
import type { CollectionDialogName } from './collection-dialogs.tsx'
import { CollectionIcon } from './collection-icon.tsx'
import { CollectionMenu } from './collection-menu.tsx'

type CollectionCardProps = {
  collection: Collection
  HeadingTag: 'h2' | 'h3'
  onOpen: () => void
  onDialog: (name: CollectionDialogName) => void
}

export function CollectionCard({ collection, HeadingTag, onOpen, onDialog }: CollectionCardProps) {
  const { name, description, company, query, mediaCount, viewCount, isPublic, sampleMedia } = collection
  return (
    <article
      aria-label={name}
      className="group relative h-full rounded-md border border-line bg-surface focus-within:border-line-strong hover:border-line-strong"
    >
      <div className="relative">
        <SampleStrip sampleMedia={sampleMedia} />
        {isPublic && (
          <PictureLabel className="absolute bottom-1.5 left-1.5">
            <Globe aria-hidden="true" />
            Public
          </PictureLabel>
        )}
      </div>
      <div className="p-3.5 pt-3">
        <div className="flex items-center gap-2">
          <div className="min-w-0 grow">
            <HeadingTag className="flex items-center gap-1.5 font-medium [&>.lucide]:shrink-0 [&>.lucide]:text-muted">
              {query !== null && <CollectionIcon query={query} />}
              {/* The whole card is the click target and has the focus ring, which would be clipped around the name. */}
              <button
                type="button"
                tabIndex={0}
                onClick={onOpen}
                className={classNames(
                  'max-w-full truncate rounded-sm text-left outline-none after:absolute after:inset-0 after:rounded-md',
                  'focus-visible:after:outline-2 focus-visible:after:outline-focus focus-visible:after:outline-offset-2',
                )}
              >
                {name}
              </button>
            </HeadingTag>
            <p className="figures truncate text-muted text-sm">
              {[itemsInWords(mediaCount), company, isPublic && viewCount > 0 && countOf(viewCount, 'view')]
                .filter(Boolean)
                .join(' · ')}
            </p>
          </div>
          <div className="relative shrink-0">
            <CollectionMenu collection={collection} onDialog={onDialog} />
          </div>
        </div>
        {description && (
          <p dir="auto" className="mt-1 line-clamp-2 text-pretty text-muted text-sm">
            {description}
          </p>
        )}
      </div>
    </article>
  )
}

/** Four tiles in a row; empty ones are placeholders, without a mark where an image is next to them. */
function SampleStrip({ sampleMedia }: Pick<Collection, 'sampleMedia'>) {
  const empty = Math.max(0, sampleSize - sampleMedia.length)
  return (
    <div className="grid grid-cols-4 gap-0.5 overflow-hidden rounded-t-md">
      {sampleMedia.map((media) => (
        <Thumbnail key={media.id} media={media} className="rounded-none" />
      ))}
      {Array.from({ length: empty }, (_, index) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity
          key={index}
          data-testid="placeholder-tile"
          className="grid aspect-square place-items-center bg-hover text-line-strong [&_.lucide]:size-5"
        >
          {sampleMedia.length === 0 && <ImageIcon aria-hidden="true" />}
        </div>
      ))}
    </div>
  )
}
