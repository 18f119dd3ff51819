import { useQuery } from '@tanstack/react-query'
import { ListLink } from '#features/media/client/list-link.tsx'
import { openList } from '#features/media/library-view.ts'
import { hasWords } from '#shared/word-forms.ts'
import { Chip } from '#ui/chip.tsx'
import { CollectionIcon } from './collection-icon.tsx'
import { collectionQueries } from './queries.ts'

const shownMatches = 12

/** Links to the collections whose names match a search. Their items are results only if they match themselves. */
export function CollectionMatches({ search }: { search: string }) {
  const { data: collections = [] } = useQuery(collectionQueries.summaries())
  const matches = collections.filter(({ name }) => hasWords(name, search)).slice(0, shownMatches)
  if (matches.length === 0) return null
  return (
    <section aria-label="Matching collections">
      <h2 className="mb-2 text-muted text-sm">Collections</h2>
      <ul className="flex flex-wrap gap-2">
        {matches.map(({ id, name, query, mediaCount }) => (
          <li key={id} className="max-w-full">
            <ListLink to={openList({ collectionId: id })} className="flex rounded-full">
              <Chip icon={<CollectionIcon query={query} />} className="hover:bg-line-strong hover:text-ink">
                <bdi>{name}</bdi> <span className="figures text-faint">{mediaCount.toLocaleString('en')}</span>
              </Chip>
            </ListLink>
          </li>
        ))}
      </ul>
    </section>
  )
}
