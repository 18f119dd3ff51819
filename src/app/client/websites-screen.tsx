import { useQuery } from '@tanstack/react-query'
import Folder from 'lucide-react/icons/folder'
import { useState } from 'react'
import { collectionQueries } from '#features/collections/client/queries.ts'
import { ListLink } from '#features/media/client/list-link.tsx'
import { openUnfiltered } from '#features/media/library-view.ts'
import { BrandingFields } from '#features/sharing/client/share-dialog/branding-fields.tsx'
import { WebsitesPage } from '#features/websites/client/websites-page.tsx'
import { countOf } from '#shared/count.ts'
import { Button } from '#ui/button.tsx'

/** The websites, with their collections. */
export function WebsitesScreen() {
  return <WebsitesPage Collections={WebsiteCollections} BrandingFields={BrandingFields} />
}

const shownFirst = 5

function WebsiteCollections({ websiteId }: { websiteId: number }) {
  const { data: collections = [] } = useQuery(collectionQueries.summaries())
  const [areAllShown, setAreAllShown] = useState(false)
  const own = collections.filter((collection) => collection.websiteId === websiteId)
  const shown = areAllShown ? own : own.slice(0, shownFirst)
  return (
    <>
      <ul aria-label="Collections" className="-mx-1.5">
        {shown.map(({ id, name, mediaCount }) => (
          <li key={id}>
            <ListLink
              to={openUnfiltered(id)}
              className="flex min-h-8 pointer-coarse:min-h-11 items-center gap-2 rounded-sm px-1.5 text-muted hover:bg-hover hover:text-ink"
            >
              <Folder aria-hidden="true" className="size-4 shrink-0" />
              <bdi className="min-w-0 grow truncate">{name}</bdi>
              <span className="figures text-faint text-xs">{mediaCount.toLocaleString('en')}</span>
            </ListLink>
          </li>
        ))}
      </ul>
      {own.length > shown.length && (
        <Button size="sm" variant="quiet" onClick={() => setAreAllShown(true)}>
          Show {countOf(own.length - shown.length, 'more collection')}
        </Button>
      )}
    </>
  )
}
