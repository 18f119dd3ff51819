import { useQuery } from '@tanstack/react-query'
import { maxSlugLength, minSlugLength, toSlugInput } from '#shared/slug.ts'
import { Field } from '#ui/forms/field.tsx'
import { Input } from '#ui/forms/input.tsx'
import { useDebouncedValue } from '#ui/use-debounced-value.ts'
import { collectionQueries } from './queries.ts'

type SlugFieldProps = { collectionId: number; value: string; onChange: (slug: string) => void }

/** Characters that are invalid in an address are removed while typing; availability is checked with a debounce. */
export function SlugField({ collectionId, value, onChange }: SlugFieldProps) {
  const rested = useDebouncedValue(value, 250)
  const { data } = useQuery(collectionQueries.urlCheck(collectionId, rested))
  const isTooShort = value.length < minSlugLength
  const answer = data?.slug === value && !isTooShort ? data : undefined
  return (
    <Field
      label="Public URL"
      error={answer && !answer.isAvailable ? answer.message : undefined}
      hint={
        isTooShort
          ? `At least ${minSlugLength} lowercase letters, digits or hyphens.`
          : `/public/collections/${value}${answer?.isAvailable ? ` · ${answer.message}` : ''}`
      }
    >
      <Input
        value={value}
        onChange={(event) => onChange(toSlugInput(event.target.value).slice(0, maxSlugLength))}
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
      />
    </Field>
  )
}
