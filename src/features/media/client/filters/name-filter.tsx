import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { Chip } from '#ui/chip.tsx'
import { useListFocus } from '#ui/focus/use-list-focus.ts'
import { Field } from '#ui/forms/field.tsx'
import { Input } from '#ui/forms/input.tsx'
import { useDebouncedValue } from '#ui/use-debounced-value.ts'
import { type FilterName, printFilter, type SearchFilter } from '../../search-query.ts'
import { mediaQueries } from '../queries.ts'
import { filterLabels } from './filter-labels.ts'

const restMs = 150
const maxNameLength = 100

type NameFilterProps = {
  name: Extract<FilterName, 'tag' | 'in' | 'website' | 'camera' | 'place'>
  filters: readonly SearchFilter[]
  onChange: (filters: SearchFilter[]) => void
}

/** A field that suggests the names in the library, and the chosen ones below it. */
export function NameFilter({ name, filters, onChange }: NameFilterProps) {
  const id = useId()
  const [text, setText] = useState('')
  const [isUsed, setIsUsed] = useState(false)
  const settled = useDebouncedValue(text, restMs)
  const { data } = useQuery({
    ...mediaQueries.suggestions(`${name}:"${unquoted(settled)}`),
    enabled: isUsed,
    placeholderData: keepPreviousData,
  })
  const suggestions = data?.suggestions ?? []
  const chosen = filters.filter((filter) => filter.name === name && !filter.isExcluded)
  const list = useListFocus<HTMLUListElement>(chosen.map(printFilter).join())

  const add = (given: string) => {
    const value = unquoted(given).trim()
    if (value === '') return
    setText('')
    onChange([...filters, { name, value, isExcluded: false }])
  }
  const change = (given: string, inputType: string | undefined) => {
    setText(given)
    // Choosing from the list of the browser is no typing.
    const isTyped = inputType !== undefined && inputType !== 'insertReplacementText'
    if (!isTyped && suggestions.some(({ label }) => label === given)) add(given)
  }
  return (
    <div>
      <Field label={filterLabels[name]}>
        <Input
          list={id}
          autoComplete="off"
          maxLength={maxNameLength}
          enterKeyHint="done"
          value={text}
          onFocus={() => setIsUsed(true)}
          onChange={({ target, nativeEvent }) => change(target.value, (nativeEvent as InputEvent).inputType)}
          onBlur={() => add(text)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
            event.preventDefault()
            add(text)
          }}
        />
      </Field>
      <datalist id={id}>
        {suggestions.map(({ text: key, label, count }) => (
          <option key={key} value={label}>
            {count === null ? label : `${label} (${count.toLocaleString('en')})`}
          </option>
        ))}
      </datalist>
      {chosen.length > 0 && (
        <ul {...list} aria-label={filterLabels[name]} className="mt-1.5 flex flex-wrap gap-1.5">
          {chosen.map((filter) => (
            <li key={filter.value} className="flex max-w-full">
              <Chip
                removeLabel={`Remove ${filter.value}`}
                onRemove={() => onChange(filters.filter((each) => each !== filter))}
              >
                <bdi>{filter.value}</bdi>
              </Chip>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

const unquoted = (text: string) => text.replace(/["“”„]/gu, '')
