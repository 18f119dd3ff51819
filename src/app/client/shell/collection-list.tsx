import { useQuery } from '@tanstack/react-query'
import { useEffect, useId, useRef } from 'react'
import { groupByWebsite } from '#features/collections/by-website.ts'
import { CollectionIcon } from '#features/collections/client/collection-icon.tsx'
import { collectionQueries } from '#features/collections/client/queries.ts'
import type { CollectionSummary } from '#features/collections/contract.ts'
import { collectionMark } from '#features/media/client/carried-items.ts'
import { websiteQueries } from '#features/websites/client/queries.ts'
import { Skeleton } from '#ui/skeleton.tsx'
import { NavItem } from './nav-item.tsx'
import { usePlace } from './places.ts'

/** The collections, below their websites if there are several; choosing one selects it. */
export function CollectionList({ onSelect }: { onSelect?: () => void }) {
  const { data: collections, isError } = useQuery(collectionQueries.summaries())
  const { data: websites = [] } = useQuery(websiteQueries.list())
  const { collectionId, openCollection } = usePlace()
  const headingId = useId()
  const listRef = useRef<HTMLDivElement>(null)
  const hasList = collections !== undefined
  // The open collection may be outside the visible part of a long list.
  useEffect(() => {
    if (hasList && collectionId !== undefined)
      listRef.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [hasList, collectionId])
  return (
    <div ref={listRef} className="fade-edges-y h-50 scroll-py-5 overflow-y-auto overscroll-contain pb-5">
      {collections?.length === 0 && <p className="px-2.5 py-1 text-muted">No collections yet</p>}
      {!collections && isError && <p className="px-2.5 py-1 text-muted">Couldn't load collections.</p>}
      {!collections && !isError && (
        <div role="status" aria-label="Loading collections" className="flex flex-col gap-3 px-2.5 py-2">
          <Skeleton className="h-4 w-3/4" />
          <Skeleton className="h-4 w-1/2" />
        </div>
      )}
      {groupByWebsite(collections ?? [], websites).map(({ website, collections: group }, _index, groups) => (
        <div key={website?.id ?? 'others'}>
          {groups.length > 1 && (
            <h3 id={`${headingId}-${website?.id}`} className="truncate px-2.5 pt-2 pb-0.5 text-faint text-xs">
              {website?.name ?? 'No website'}
            </h3>
          )}
          {/* Without gaps the high lines of a touch screen end within the fifth, which tells that the list goes on. */}
          <ul
            aria-labelledby={groups.length > 1 ? `${headingId}-${website?.id}` : undefined}
            className="flex flex-col gap-0.5 pointer-coarse:gap-0"
          >
            {group.map((collection) => (
              <Entry
                key={collection.id}
                collection={collection}
                isCurrent={collection.id === collectionId}
                onSelect={() => {
                  openCollection(collection.id)
                  onSelect?.()
                }}
              />
            ))}
          </ul>
        </div>
      ))}
    </div>
  )
}

type EntryProps = { collection: CollectionSummary; isCurrent: boolean; onSelect: () => void }

function Entry({ collection: { id, name, query, mediaCount }, isCurrent, onSelect }: EntryProps) {
  return (
    <li
      {...{ [collectionMark]: id }}
      className="rounded-sm data-is-meant:bg-accent/15 data-is-meant:ring-2 data-is-meant:ring-accent data-is-meant:ring-inset"
    >
      <NavItem icon={<CollectionIcon query={query} />} count={mediaCount} isCurrent={isCurrent} onSelect={onSelect}>
        {name}
      </NavItem>
    </li>
  )
}
