import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ListLink } from '#features/media/client/list-link.tsx'
import { mediaQueries } from '#features/media/client/queries.ts'
import { Thumbnail } from '#features/media/client/thumbnail.tsx'
import type { Media } from '#features/media/contract.ts'
import { openSimilar } from '#features/media/library-view.ts'
import { analysisQueries } from './queries.ts'

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
  const showAll = (
    <ListLink to={openSimilar({ similarToId: mediaId })} className="rounded-sm text-muted text-sm hover:text-ink">
      Show all
    </ListLink>
  )
  return <Strip title="Similar items" action={showAll} media={similar} onSelect={onSelect} />
}

/** The other versions of the picture, such as WebP copies. Renders nothing if there are none. */
export function VersionStrip({ mediaId, isSettled, onSelect }: SimilarStripProps) {
  const { data: versions = [] } = useQuery({ ...analysisQueries.pictureVersions(mediaId), enabled: isSettled })
  const others = versions.filter(({ id }) => id !== mediaId)
  if (others.length === 0) return null
  return <Strip title={versionsInWords(versions.length)} media={others} onSelect={onSelect} />
}

export const versionsInWords = (count: number) => `${count.toLocaleString('en')} versions of one picture`

type StripProps = { title: string; action?: ReactNode; media: readonly Media[]; onSelect: SelectSimilar }

function Strip({ title, action, media: shown, onSelect }: StripProps) {
  return (
    <section aria-label={title} className="border-line border-t px-5 py-4">
      <div className="mb-2 flex items-baseline justify-between gap-2">
        <h3 className="font-medium text-faint text-xs">{title}</h3>
        {action}
      </div>
      <ul className="-mx-5 flex gap-1.5 overflow-x-auto overscroll-contain px-5 pb-1 [scrollbar-width:thin]">
        {shown.map((media) => (
          <li key={media.id} className="shrink-0">
            <button
              type="button"
              tabIndex={0}
              aria-label={media.filename}
              title={media.filename}
              onClick={() => onSelect(media.id, shown)}
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
