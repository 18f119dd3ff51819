import { useQuery } from '@tanstack/react-query'
import FolderPlus from 'lucide-react/icons/folder-plus'
import { type ComponentType, useEffect, useState } from 'react'
import { useLibraryView } from '#features/media/client/use-library-view.ts'
import { openUnfiltered } from '#features/media/library-view.ts'
import { websiteQueries } from '#features/websites/client/queries.ts'
import { failureReason } from '#platform/client/call.ts'
import { countOf } from '#shared/count.ts'
import { Button } from '#ui/button.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { LoadFailure } from '#ui/load-failure.tsx'
import { toast } from '#ui/notices/toast.ts'
import { Skeleton } from '#ui/skeleton.tsx'
import { groupByWebsite } from '../by-website.ts'
import type { Collection } from '../contract.ts'
import { CollectionCard } from './collection-card.tsx'
import type { CollectionDialogName } from './collection-dialogs.tsx'
import { CreateDialog } from './dialogs/create-dialog.tsx'
import { collectionQueries } from './queries.ts'

type CollectionsTabProps = {
  /** Includes the dialogs of other features, such as sharing and names by AI. */
  Dialogs: ComponentType<{ name: CollectionDialogName; collection: Collection; onClose: () => void }>
}

export function CollectionsTab({ Dialogs }: CollectionsTabProps) {
  const [, setView] = useLibraryView()
  const { data: collections, isPending, error, refetch } = useQuery(collectionQueries.list())
  const { data: websites = [] } = useQuery(websiteQueries.list())
  const [isCreating, setIsCreating] = useState(false)
  const [open, setOpen] = useState<{ name: CollectionDialogName; id: number; collectionName: string }>()
  const collection = collections?.find(({ id }) => id === open?.id)
  useEffect(() => {
    // A user who deletes it here is told by the deletion itself.
    if (!open || open.name === 'delete' || !collections || collection) return
    setOpen(undefined)
    toast({
      title: 'This collection no longer exists',
      description: `"${open.collectionName}" was deleted elsewhere.`,
    })
  }, [open, collections, collection])
  const createButton = (
    <Button
      icon={<FolderPlus />}
      onClick={() => setIsCreating(true)}
      // On a phone with text at 200% the button would be wider than the window.
      className="max-[14rem]:gap-1 max-[14rem]:px-1"
    >
      Create Collection
    </Button>
  )
  return (
    <div className="space-y-5">
      <header className="flex flex-wrap items-end justify-between gap-3">
        <div>
          <h1 className="font-semibold text-xl">Collections</h1>
          <p className="figures min-h-5 text-muted text-sm">
            {collections && countOf(collections.length, 'collection')}
          </p>
        </div>
        {collections && collections.length > 0 && createButton}
      </header>
      {error && !collections && (
        <LoadFailure what="collections" why={failureReason(error)} onRetry={() => void refetch()} />
      )}
      {collections?.length === 0 && (
        <EmptyState
          drawing="folder"
          title="No collections yet"
          description="Collections group items and can be shared as a public page."
          action={createButton}
        />
      )}
      {groupByWebsite(collections ?? [], websites).map(({ website, collections: group }, _index, groups) => (
        <section
          key={website?.id ?? 'others'}
          aria-labelledby={groups.length > 1 ? `website-${website?.id}` : undefined}
        >
          {groups.length > 1 && (
            <h2 id={`website-${website?.id}`} className="mb-2 truncate font-medium text-muted">
              {website?.name ?? 'No website'}
            </h2>
          )}
          <ul aria-busy={isPending} className={gridClasses}>
            {isPending && <CardSkeletons />}
            {group.map((each) => (
              <li key={each.id}>
                <CollectionCard
                  collection={each}
                  HeadingTag={groups.length > 1 ? 'h3' : 'h2'}
                  onOpen={() => setView(openUnfiltered(each.id))}
                  onDialog={(name) => setOpen({ name, id: each.id, collectionName: each.name })}
                />
              </li>
            ))}
          </ul>
        </section>
      ))}
      {isCreating && <CreateDialog onClose={() => setIsCreating(false)} />}
      {collection && open && <Dialogs name={open.name} collection={collection} onClose={() => setOpen(undefined)} />}
    </div>
  )
}

const gridClasses = 'grid grid-cols-1 gap-4 sm:grid-cols-2 lg:grid-cols-3 2xl:grid-cols-4'

function CardSkeletons() {
  return Array.from({ length: 6 }, (_, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity
    <li key={index} className="space-y-3">
      <Skeleton className="aspect-[4/1.1] rounded-picture" />
      <Skeleton className="h-4 w-1/2" />
    </li>
  ))
}
