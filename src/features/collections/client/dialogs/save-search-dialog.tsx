import { useState } from 'react'
import { takeFilters } from '#features/media/search-query.ts'
import { useRunId } from '#platform/client/run-id.ts'
import type { Collection } from '../../contract.ts'
import { maxNameLength } from '../../limits.ts'
import { useCreateCollection } from '../mutations.ts'
import { CollectionForm } from './collection-form.tsx'
import { SearchField, searchFault } from './search-field.tsx'

type SaveSearchDialogProps = { search: string; onClose: () => void; onSaved: (collection: Collection) => void }

export function SaveSearchDialog({ search, onClose, onSaved }: SaveSearchDialogProps) {
  const [query, setQuery] = useState(search)
  const runId = useRunId()
  const create = useCreateCollection()
  const isWrong = query.trim() === '' || searchFault(query) !== undefined
  return (
    <CollectionForm
      title="Save as Smart Collection"
      description="A smart collection always contains the items that match its search, and can be shared like any other."
      submitLabel="Save"
      initial={{ name: nameFor(search) }}
      isPending={create.isPending}
      isDisabled={isWrong}
      onSubmit={(draft) => create.mutate({ ...draft, query: query.trim(), runId }, { onSuccess: onSaved })}
      onClose={onClose}
    >
      <SearchField query={query} onQueryChange={setQuery} />
    </CollectionForm>
  )
}

/** The words and values of the search, such as "Beach video" for `beach type:video`. */
function nameFor(search: string) {
  const { words, filters } = takeFilters(search)
  const values = filters.filter(({ isExcluded }) => !isExcluded).map(({ value }) => value)
  const name = [words, ...values]
    .join(' ')
    .replace(/["“”„]/g, '')
    .trim()
  return (name.charAt(0).toUpperCase() + name.slice(1)).slice(0, maxNameLength)
}
