import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ComponentProps } from 'react'
import { fold } from '#shared/fold.ts'
import { SuggestInput } from '#ui/forms/suggest-input.tsx'
import { useDebouncedValue } from '#ui/use-debounced-value.ts'
import { mediaQueries } from './queries.ts'

const restMs = 120

type TagInputProps = Omit<ComponentProps<typeof SuggestInput>, 'options' | 'optionsLabel'> & {
  /** Not suggested again. */
  present: readonly string[]
}

/** A field for tags, of which the one after the last comma is completed from the tags of the library. */
export function TagInput({ present, value, ...props }: TagInputProps) {
  const typed = value.split(',').at(-1)!.trim()
  const settled = useDebouncedValue(typed, restMs)
  const { data } = useQuery({
    ...mediaQueries.suggestions(`tag:"${settled.replace(/["“”„]/gu, '')}`),
    enabled: settled !== '',
    placeholderData: keepPreviousData,
  })
  const others = new Set(present)
  // Those of an earlier text are shown until the response arrives, if they still fit.
  const fitting = (data?.suggestions ?? []).filter(
    ({ label }) => typed !== '' && !others.has(label) && fold(label).includes(fold(typed)),
  )
  const options = fitting.map(({ label, count }) => ({ value: label, detail: count?.toLocaleString('en') }))
  return <SuggestInput {...props} value={value} options={options} optionsLabel="Tags in your library" />
}
