import { type ReactNode, useId } from 'react'
import { classNames } from '../class-names.ts'

type Segment<Value extends string> = { value: Value; label: string; icon?: ReactNode }

type SegmentedControlProps<Value extends string> = {
  label: string
  value: Value
  onValueChange: (value: Value) => void
  segments: readonly Segment<Value>[]
  /** Shows only the icons; the labels become titles and are still announced. */
  isIconOnly?: boolean
}

/** Two or three options, built from radio buttons, so the arrow keys move between them. */
export function SegmentedControl<Value extends string>(props: SegmentedControlProps<Value>) {
  const { label, value, onValueChange, segments, isIconOnly = false } = props
  const name = useId()
  return (
    <fieldset className="inline-flex h-9 rounded-sm border border-line-strong p-0.5">
      <legend className="sr-only">{label}</legend>
      {segments.map((segment) => (
        <label
          key={segment.value}
          title={isIconOnly ? segment.label : undefined}
          className={classNames(
            'relative inline-flex items-center justify-center gap-2 rounded-sm font-medium text-muted',
            'hover:text-ink has-checked:bg-line has-checked:text-ink',
            'has-focus-visible:outline-2 has-focus-visible:outline-focus has-focus-visible:outline-offset-2',
            isIconOnly ? 'w-8' : 'px-3 text-sm',
          )}
        >
          <input
            type="radio"
            name={name}
            value={segment.value}
            checked={segment.value === value}
            onChange={() => onValueChange(segment.value)}
            className="absolute inset-0 appearance-none opacity-0 pointer-coarse:-inset-y-1.75"
          />
          {segment.icon}
          <span className={isIconOnly ? 'sr-only' : undefined}>{segment.label}</span>
        </label>
      ))}
    </fieldset>
  )
}
