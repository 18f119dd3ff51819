import { useQuery } from '@tanstack/react-query'
import Copy from 'lucide-react/icons/copy'
import ExternalLink from 'lucide-react/icons/external-link'
import { useState } from 'react'
import {
  useRenameCollectionUrl,
  useRenewCollectionUrl,
  useSetVisibility,
} from '#features/collections/client/mutations.ts'
import { SlugField } from '#features/collections/client/slug-field.tsx'
import type { Collection } from '#features/collections/contract.ts'
import { copyPublicUrl } from '#features/media/client/copy-public-url.ts'
import { failureReason } from '#platform/client/call.ts'
import { minSlugLength } from '#shared/slug.ts'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { buttonClasses } from '#ui/button-classes.ts'
import { focusIfLost } from '#ui/focus/lost-focus.ts'
import { Switch } from '#ui/forms/switch.tsx'
import { LoadFailure } from '#ui/load-failure.tsx'
import { Spinner } from '#ui/spinner.tsx'
import type { SharingOptions } from '../../contract.ts'
import { sharingQueries } from '../queries.ts'
import { AccessForm } from './access-form.tsx'

export function LinkPanel({ collection }: { collection: Collection }) {
  const setVisibility = useSetVisibility()
  const { data: options, error, refetch } = useQuery(sharingQueries.options(collection.id))
  const { isPublic, publicSlug, publicUrl } = collection
  const renew = useRenewCollectionUrl()
  const before = setVisibility.variables
  /** Made public with the link that it had before, and has that link still. */
  const isPublicAgain = before?.isPublic === false && before.publicSlug !== null && before.publicSlug === publicSlug
  return (
    <div className="grid gap-x-12 gap-y-6 pb-5 lg:grid-cols-2">
      <div className="space-y-6">
        <Switch
          label="Public"
          hint={whoSeesIt(isPublic, options)}
          checked={isPublic}
          onCheckedChange={() => !setVisibility.isPending && setVisibility.mutateAsync(collection)}
        />
        {isPublic && publicSlug && publicUrl && (
          <>
            <div className="flex flex-wrap gap-2">
              <Button
                ref={renew.isIdle || isPublicAgain ? undefined : focusIfLost}
                icon={<Copy />}
                onClick={() => void copyPublicUrl(publicUrl)}
              >
                Copy Public URL
              </Button>
              <a href={publicUrl} target="_blank" rel="noopener" className={buttonClasses()}>
                <ExternalLink aria-hidden="true" />
                View Public Page
              </a>
            </div>
            {isPublicAgain && (
              <Alert
                tone="info"
                action={
                  <Button size="sm" isPending={renew.isPending} onClick={() => renew.mutate(collection)}>
                    Use a new link
                  </Button>
                }
              >
                This is the same link as before. Anyone who still has it can see the collection again.
              </Alert>
            )}
            <UrlForm collection={collection} slug={publicSlug} />
          </>
        )}
      </div>
      {isPublic && publicSlug && (
        <div className="border-line max-lg:border-t max-lg:pt-5">
          {options && <AccessForm collectionId={collection.id} options={options} />}
          {!options && error && (
            <LoadFailure what="password and expiry" why={failureReason(error)} onRetry={() => void refetch()} />
          )}
          {!options && !error && <Spinner label="Loading" />}
        </div>
      )}
    </div>
  )
}

function whoSeesIt(isPublic: boolean, options?: SharingOptions) {
  if (!isPublic || options?.isExpired) return 'Only you can see this collection.'
  return `Anyone with the link${options?.hasPassword ? ' and the password' : ''} can see this collection.`
}

function UrlForm({ collection, slug: present }: { collection: Collection; slug: string }) {
  const [slug, setSlug] = useState(present)
  const [known, setKnown] = useState(present)
  // A new slug goes into the same form, since a new form would lose the focus of the user who has just saved it.
  // Unsaved input stays when the collection is renamed elsewhere.
  if (known !== present) {
    setKnown(present)
    if (slug === known) setSlug(present)
  }
  const rename = useRenameCollectionUrl()
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        rename.mutate({ id: collection.id, publicSlug: slug })
      }}
      className="space-y-2"
    >
      <SlugField collectionId={collection.id} value={slug} onChange={setSlug} />
      <Button
        type="submit"
        disabled={slug.length < minSlugLength || rename.isPending}
        // Still focusable, as it has the focus after saving.
        isInactive={slug === present}
      >
        Update
      </Button>
    </form>
  )
}
