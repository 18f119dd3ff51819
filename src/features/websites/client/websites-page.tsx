import { useQuery } from '@tanstack/react-query'
import Plus from 'lucide-react/icons/plus'
import { type ComponentType, useState } from 'react'
import { failureReason } from '#platform/client/call.ts'
import { countOf } from '#shared/count.ts'
import { Button } from '#ui/button.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { ConfirmDialog } from '#ui/layers/confirm-dialog.tsx'
import { LoadFailure } from '#ui/load-failure.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import type { Website } from '../contract.ts'
import { useDeleteWebsite } from './mutations.ts'
import { websiteQueries } from './queries.ts'
import { WebsiteCard } from './website-card.tsx'
import { type BrandingFieldsType, WebsiteDialog } from './website-dialog.tsx'

type WebsitesPageProps = {
  /** Links to the collections of a website. */
  Collections: ComponentType<{ websiteId: number }>
  BrandingFields: BrandingFieldsType
}

export function WebsitesPage({ Collections, BrandingFields }: WebsitesPageProps) {
  const { data: websites, isPending, error, refetch } = useQuery(websiteQueries.list())
  const [edited, setEdited] = useState<Website | 'new'>()
  const [deleted, setDeleted] = useState<Website>()
  const createButton = (
    <Button icon={<Plus />} onClick={() => setEdited('new')}>
      Create Website
    </Button>
  )
  return (
    <div className="space-y-5 px-4 pt-5 pb-10 sm:px-6">
      <header className="flex flex-wrap items-end justify-between gap-3">
        <div>
          <h1 className="font-semibold text-xl">Websites</h1>
          <p className="figures min-h-5 text-muted text-sm">{websites && countOf(websites.length, 'website')}</p>
        </div>
        {websites && websites.length > 0 && createButton}
      </header>
      {error && !websites && <LoadFailure what="websites" why={failureReason(error)} onRetry={() => void refetch()} />}
      {websites?.length === 0 && (
        <EmptyState
          drawing="folder"
          title="No websites yet"
          description="A website holds the languages, tone, branding and rights of the client that you prepare images for. Its collections start with them."
          action={createButton}
        />
      )}
      <ul aria-busy={isPending} className="grid grid-cols-1 gap-4 sm:grid-cols-2 lg:grid-cols-3 2xl:grid-cols-4">
        {isPending &&
          ['first', 'second', 'third'].map((key) => (
            <li key={key}>
              <Skeleton className="h-40 rounded-md" />
            </li>
          ))}
        {websites?.map((website) => (
          <li key={website.id}>
            <WebsiteCard website={website} onEdit={() => setEdited(website)} onDelete={() => setDeleted(website)}>
              <Collections websiteId={website.id} />
            </WebsiteCard>
          </li>
        ))}
      </ul>
      {edited && (
        <WebsiteDialog
          website={edited === 'new' ? undefined : edited}
          BrandingFields={BrandingFields}
          onClose={() => setEdited(undefined)}
        />
      )}
      {deleted && <DeleteWebsiteDialog website={deleted} onClose={() => setDeleted(undefined)} />}
    </div>
  )
}

function DeleteWebsiteDialog({ website, onClose }: { website: Website; onClose: () => void }) {
  const remove = useDeleteWebsite()
  const { name } = website
  return (
    <ConfirmDialog
      onClose={onClose}
      title={`Delete "${name}"?`}
      description={`This deletes its languages, words, branding, rights and presets.${keptWords(website)}${namedWords(website)}`}
      confirmLabel="Delete Website"
      isPending={remove.isPending}
      onConfirm={() => remove.mutate(website, { onSettled: onClose })}
    />
  )
}

function namedWords({ smartCollections }: Website) {
  if (smartCollections.length === 0) return ''
  const names = smartCollections.map((name) => `"${name}"`).join(', ')
  const them = countOf(smartCollections.length, 'smart collection')
  return ` ${them} ${smartCollections.length === 1 ? 'names it in its search' : 'name it in their searches'}: ${names}.`
}

function keptWords({ name, collectionCount }: Website) {
  if (collectionCount === 0) return ''
  const verbs = collectionCount === 1 ? 'stays in your library and keeps' : 'stay in your library and keep'
  return ` ${countOf(collectionCount, 'collection')} ${verbs} the company "${name}".`
}
