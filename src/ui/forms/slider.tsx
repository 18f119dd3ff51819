import { Range, Root, Thumb, Track } from 'radix-ui/slider'
import { type ReactNode, useId } from 'react'

type SliderProps = {
  label: string
  hint?: ReactNode
  value: number
  onValueChange: (value: number) => void
  min: number
  max: number
  step?: number
  /** Formats the value, e.g. "80%". */
  formatValue?: (value: number) => string
  disabled?: boolean
}

export function Slider(props: SliderProps) {
  const { label, hint, value, onValueChange, min, max, step = 1, formatValue = String, disabled } = props
  const id = useId()
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex items-baseline justify-between gap-4 text-sm">
        <span id={`${id}-label`} className="font-medium">
          {label}
        </span>
        {/* Not an <output>, which would be a live region: the thumb announces its value itself. */}
        <span aria-hidden="true" className="figures text-muted">
          {formatValue(value)}
        </span>
      </div>
      <Root
        className="relative flex h-6 touch-none select-none items-center data-disabled:opacity-45"
        value={[value]}
        onValueChange={([next]) => next !== undefined && onValueChange(next)}
        min={min}
        max={max}
        step={step}
        disabled={disabled}
      >
        <Track className="relative h-1 grow overflow-hidden rounded-full bg-line-strong">
          <Range className="absolute h-full bg-accent" />
        </Track>
        <Thumb
          aria-labelledby={`${id}-label`}
          aria-describedby={hint ? `${id}-hint` : undefined}
          aria-valuetext={formatValue(value)}
          className="block size-4 rounded-full border-2 border-accent bg-surface transition-transform hover:scale-110 active:scale-95"
        />
      </Root>
      {hint && (
        <p id={`${id}-hint`} className="text-muted text-sm">
          {hint}
        </p>
      )}
    </div>
  )
}
