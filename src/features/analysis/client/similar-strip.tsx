import { useQuery } from '@tanstack/react-query'
import { ListLink } from '#features/media/client/list-link.tsx'
import { mediaQueries } from '#features/media/client/queries.ts'
import { Thumbnail } from '#features/media/client/thumbnail.tsx'
import type { Media } from '#features/media/contract.ts'
import { openSimilar } from '#features/media/library-view.ts'

/** Called with the selected item and all items shown. */
export type SelectSimilar = (id: number, similar: readonly Media[]) => void
type SimilarStripProps = {
  mediaId: number
  /** False while the user is still paging through items, to avoid a search for each of them. */
  isSettled: boolean
  onSelect: SelectSimilar
}

/** Similar pictures in the library. Renders nothing if there are none. */
export function SimilarStrip({ mediaId, isSettled, onSelect }: SimilarStripProps) {
  const { data: similar = [] } = useQuery({ ...mediaQueries.similar(mediaId), enabled: isSettled })
  if (similar.length === 0) return null
  return (
    <section aria-label="Similar items" className="border-line border-t px-5 py-4">
      <div className="mb-2 flex items-baseline justify-between gap-2">
        <h3 className="font-medium text-faint text-xs">Similar items</h3>
        <ListLink to={openSimilar({ similarToId: mediaId })} className="rounded-sm text-muted text-sm hover:text-ink">
          Show all
        </ListLink>
      </div>
      <ul className="-mx-5 flex gap-1.5 overflow-x-auto overscroll-contain px-5 pb-1 [scrollbar-width:thin]">
        {similar.map((media) => (
          <li key={media.id} className="shrink-0">
            <button
              type="button"
              tabIndex={0}
              aria-label={media.filename}
              title={media.filename}
              onClick={() => onSelect(media.id, similar)}
              className="block overflow-hidden rounded-sm transition-opacity hover:opacity-80"
            >
              <Thumbnail media={media} className="size-18" />
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
