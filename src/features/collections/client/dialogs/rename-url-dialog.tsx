import { useState } from 'react'
import { minSlugLength } from '#shared/slug.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/layers/dialog.tsx'
import type { Collection } from '../../contract.ts'
import { useRenameCollectionUrl } from '../mutations.ts'
import { SlugField } from '../slug-field.tsx'

export function RenameUrlDialog({ collection, onClose }: { collection: Collection; onClose: () => void }) {
  const [slug, setSlug] = useState(collection.publicSlug ?? '')
  const rename = useRenameCollectionUrl()
  return (
    <Dialog
      onClose={onClose}
      title="Rename URL"
      description="Existing links keep working and redirect to the new URL."
      onSubmit={(event) => {
        event.preventDefault()
        if (slug.length >= minSlugLength) rename.mutate({ id: collection.id, publicSlug: slug }, { onSuccess: onClose })
      }}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" disabled={slug.length < minSlugLength || rename.isPending}>
            Update
          </Button>
        </>
      }
    >
      <SlugField collectionId={collection.id} value={slug} onChange={setSlug} />
    </Dialog>
  )
}
