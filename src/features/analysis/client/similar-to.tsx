import { useQuery } from '@tanstack/react-query'
import { mediaQueries } from '#features/media/client/queries.ts'
import { Thumbnail } from '#features/media/client/thumbnail.tsx'
import type { LibraryView } from '#features/media/library-view.ts'
import { Chip } from '#ui/chip.tsx'
import { pictureOf } from './search-by-picture.ts'

type SimilarToProps = Pick<LibraryView, 'similarToId' | 'example'> & { onClear: () => void }

/** What the items of the list look like; removing it shows the whole library again. */
export function SimilarTo({ similarToId, example, onClear }: SimilarToProps) {
  return (
    <Chip
      icon={similarToId === undefined ? <ExamplePicture example={example} /> : <ItemPicture id={similarToId} />}
      onRemove={onClear}
      removeLabel="Show all items"
      className="h-9 pl-1"
    >
      {similarToId === undefined ? (pictureOf(example ?? '')?.name ?? 'Your picture') : <ItemName id={similarToId} />}
    </Chip>
  )
}

const pictureClasses = 'size-7 shrink-0 rounded-full object-cover'

function ExamplePicture({ example = '' }: { example?: string }) {
  const picture = pictureOf(example)
  return picture && <img src={picture.url} alt="" className={pictureClasses} />
}

function ItemPicture({ id }: { id: number }) {
  const { data } = useQuery(mediaQueries.one(id))
  return data && <Thumbnail media={data} className={pictureClasses} />
}

function ItemName({ id }: { id: number }) {
  const { data } = useQuery(mediaQueries.one(id))
  return <bdi>{data?.filename ?? '…'}</bdi>
}
