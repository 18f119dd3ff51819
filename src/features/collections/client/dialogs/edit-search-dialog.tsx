import { useState } from 'react'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/layers/dialog.tsx'
import type { Collection } from '../../contract.ts'
import { useUpdateCollection } from '../mutations.ts'
import { SearchField, searchFault } from './search-field.tsx'

export function EditSearchDialog({ collection, onClose }: { collection: Collection; onClose: () => void }) {
  const [query, setQuery] = useState(collection.query ?? '')
  const update = useUpdateCollection()
  const isWrong = query.trim() === '' || searchFault(query) !== undefined
  return (
    <Dialog
      onClose={onClose}
      title="Edit Search"
      description={`"${collection.name}" contains the items that match this search.${collection.isPublic ? ' Its public page changes at once.' : ''}`}
      onSubmit={(event) => {
        event.preventDefault()
        if (!isWrong) update.mutate({ id: collection.id, query: query.trim() }, { onSuccess: onClose })
      }}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" disabled={isWrong} isPending={update.isPending}>
            Save
          </Button>
        </>
      }
    >
      <SearchField query={query} onQueryChange={setQuery} />
    </Dialog>
  )
}
