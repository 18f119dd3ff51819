import { useQuery } from '@tanstack/react-query'
import Folder from 'lucide-react/icons/folder'
import Plus from 'lucide-react/icons/plus'
import type { ReactNode } from 'react'
import { thumbhashUrl } from '#features/media/client/thumbhash-url.ts'
import type { Media } from '#features/media/contract.ts'
import { itemsInWords } from '#shared/count.ts'
import { SearchList } from '#ui/forms/search-list.tsx'
import { ImageWithFallback } from '#ui/image-with-fallback.tsx'
import type { CollectionSummary } from '../contract.ts'
import { newCollection } from './matching-collections.ts'
import { collectionQueries } from './queries.ts'

type CollectionPickerProps = {
  /** Those that match the query. */
  collections: readonly CollectionSummary[]
  query: string
  onQueryChange: (query: string) => void
  /** The id of a collection as text, or `newCollection`. */
  value?: string
  onValueChange: (value: string) => void
  onChoose: (value: string) => void
  isDisabled?: boolean
}

/** The user's collections with their covers, and "New collection" below them. */
export function CollectionPicker({ collections, query, ...props }: CollectionPickerProps) {
  // The names are shown at once; the covers follow.
  const { data: described = [] } = useQuery(collectionQueries.list())
  const covers = new Map(described.map(({ id, sampleMedia }) => [id, sampleMedia[0]]))
  const typed = query.trim()
  return (
    <SearchList
      {...props}
      label="Collection"
      placeholder="Search collections"
      query={query}
      options={collections.map(({ id, name, mediaCount }) => ({
        value: String(id),
        label: name,
        detail: itemsInWords(mediaCount),
        picture: <Cover media={covers.get(id)} />,
      }))}
      lastOption={{
        value: newCollection,
        label: typed ? `New collection "${typed}"` : 'New collection…',
        picture: (
          <Tile>
            <Plus />
          </Tile>
        ),
      }}
    />
  )
}

function Cover({ media }: { media: Media | undefined }) {
  const icon = <Folder />
  if (!media) return <Tile>{icon}</Tile>
  return (
    <ImageWithFallback
      sources={[media.thumbnailUrl]}
      alt=""
      placeholderUrl={thumbhashUrl(media.thumbhash)}
      fallbackIcon={icon}
    />
  )
}

function Tile({ children }: { children: ReactNode }) {
  return <span className="grid aspect-square place-items-center rounded-[inherit] bg-hover text-muted">{children}</span>
}
