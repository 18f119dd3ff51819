import { type FormEvent, type ReactNode, useState } from 'react'
import { Field } from '#ui/forms/field.tsx'
import { Input } from '#ui/forms/input.tsx'
import { rangeOf, type SearchFilter } from '../../search-query.ts'
import { filterLabels } from './filter-labels.ts'

type RangeFilterProps = {
  filters: readonly SearchFilter[]
  onChange: (filters: SearchFilter[]) => void
}

const mebibyte = 1024 ** 2

/** The first and last day. */
export function DateFilter({ name, ...props }: RangeFilterProps & { name: 'taken' | 'added' }) {
  const shown = props.filters.find((filter) => filter.name === name && !filter.isExcluded)
  const days = shown && rangeOf({ ...shown, name })
  const bounds = { from: days?.from ?? '', to: days?.to ?? '' }
  return (
    <RangeFields
      name={name}
      labels={['From', 'To']}
      bounds={bounds}
      isValid={(value) => rangeOf({ name, value }) !== undefined}
      field={(control) => <Input type="date" {...control} />}
      {...props}
    />
  )
}

/** The smallest and largest size or width. */
export function NumberFilter({ name, unit, ...props }: RangeFilterProps & { name: 'size' | 'width'; unit: string }) {
  const shown = props.filters.find((filter) => filter.name === name && !filter.isExcluded)
  const range = shown && rangeOf({ ...shown, name })
  const inUnit = (value: number | undefined) =>
    value === undefined ? '' : String(name === 'size' ? Number((value / mebibyte).toFixed(2)) : value)
  return (
    <RangeFields
      name={name}
      labels={['At least', 'At most']}
      bounds={{ from: inUnit(range?.from), to: inUnit(range?.to) }}
      suffix={name === 'size' ? 'mb' : ''}
      isValid={(value) => rangeOf({ name, value }) !== undefined}
      field={(control) => (
        <Input
          type="number"
          min={0}
          step={name === 'size' ? 'any' : 1}
          inputMode="decimal"
          trailing={unit}
          {...control}
        />
      )}
      {...props}
    />
  )
}

type Control = {
  value: string
  onChange: (event: FormEvent<HTMLInputElement>) => void
  onBlur: () => void
  onKeyDown: (event: { key: string }) => void
}

type RangeFieldsProps = RangeFilterProps & {
  name: 'taken' | 'added' | 'size' | 'width'
  labels: readonly [string, string]
  bounds: { from: string; to: string }
  suffix?: string
  isValid: (value: string) => boolean
  field: (control: Control) => ReactNode
}

/** Two fields that apply when the user leaves one or presses Enter. */
function RangeFields({ name, labels, bounds, suffix = '', isValid, field, filters, onChange }: RangeFieldsProps) {
  const [draft, setDraft] = useState(bounds)
  const [isWrong, setIsWrong] = useState(false)
  const applied = `${bounds.from}..${bounds.to}`
  const [known, setKnown] = useState(applied)
  // The filter was changed elsewhere, e.g. its chip was removed.
  if (known !== applied) {
    setKnown(applied)
    setDraft(bounds)
    setIsWrong(false)
  }
  const apply = () => {
    const { from, to } = draft
    if (from === bounds.from && to === bounds.to) return setIsWrong(false)
    const ends = [from, to].map((end) => end && `${end}${suffix}`)
    const value = ends[0] === ends[1] && suffix === '' ? ends[0]! : ends.join('..')
    const isEmpty = from === '' && to === ''
    if (!isEmpty && !isValid(value)) return setIsWrong(true)
    setIsWrong(false)
    const others = filters.filter((filter) => filter.name !== name || filter.isExcluded)
    onChange(isEmpty ? others : [...others, { name, value, isExcluded: false }])
  }
  const control = (end: 'from' | 'to'): Control => ({
    value: draft[end],
    onChange: ({ currentTarget }) => setDraft({ ...draft, [end]: currentTarget.value }),
    onBlur: apply,
    onKeyDown: ({ key }) => key === 'Enter' && apply(),
  })
  return (
    <fieldset>
      <legend className="mb-1.5 font-medium text-sm">{filterLabels[name]}</legend>
      <div className="grid grid-cols-2 gap-2">
        {(['from', 'to'] as const).map((end, index) => (
          <Field
            key={end}
            label={labels[index]}
            error={end === 'to' && isWrong ? 'The range ends before it begins.' : undefined}
            className="[&>label]:font-normal [&>label]:text-muted [&>label]:text-xs"
          >
            {field(control(end))}
          </Field>
        ))}
      </div>
    </fieldset>
  )
}
