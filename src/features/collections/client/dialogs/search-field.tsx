import { maxSearchLength } from '#features/media/limits.ts'
import { parseSearch } from '#features/media/search-query.ts'
import { Field } from '#ui/forms/field.tsx'
import { Input } from '#ui/forms/input.tsx'

/** What is wrong with the search of a smart collection, in a sentence. */
export const searchFault = (query: string) => parseSearch(query).faults[0]?.message

type SearchFieldProps = { query: string; onQueryChange: (query: string) => void }

export function SearchField({ query, onQueryChange }: SearchFieldProps) {
  return (
    <Field
      label="Search"
      hint="Words and filters, such as tag:beach -tag:draft added:2026"
      error={query.trim() === '' ? undefined : searchFault(query)}
    >
      <Input
        value={query}
        onChange={(event) => onQueryChange(event.target.value)}
        maxLength={maxSearchLength}
        spellCheck={false}
        autoComplete="off"
        required
      />
    </Field>
  )
}
