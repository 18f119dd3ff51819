import ChevronDown from 'lucide-react/icons/chevron-down'
import type { ChangeEvent, ComponentProps, CSSProperties } from 'react'
import { classNames } from '../class-names.ts'
import { type ControlVariant, controlClasses } from './control-classes.ts'
import { useFieldControl } from './field.tsx'

type SelectOption = { value: string; label: string }

type SelectProps = Omit<ComponentProps<'select'>, 'children' | 'size' | 'multiple' | 'style'> & {
  options: readonly SelectOption[]
  onValueChange?: (value: string) => void
  /** Shown while nothing is selected. */
  placeholder?: string
  size?: 'sm' | 'md'
  variant?: ControlVariant
  /** For a select outside of a Field. */
  label?: string
}

/** A native select: a picker wheel on phones, a styled list (see select.css) where `appearance: base-select` is supported. */
export function Select(props: SelectProps) {
  const { options, onValueChange, onChange, placeholder, size = 'md', variant, label, className, ...rest } = props
  const field = useFieldControl()
  const handleChange = (event: ChangeEvent<HTMLSelectElement>) => {
    onChange?.(event)
    onValueChange?.(event.target.value)
  }
  return (
    <div className={classNames('relative', className)}>
      <select
        {...field}
        aria-label={label}
        {...rest}
        onChange={handleChange}
        // select.css derives the height of the list from this.
        style={{ '--options': options.length } as CSSProperties}
        className={classNames(
          controlClasses(variant),
          'select pr-8',
          size === 'sm' ? 'h-7 pl-2.5 text-sm' : 'h-9 pl-3',
        )}
      >
        {placeholder !== undefined && (
          <option value="" disabled hidden>
            {placeholder}
          </option>
        )}
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <ChevronDown className="pointer-events-none absolute inset-y-0 right-2.5 my-auto text-faint" aria-hidden="true" />
    </div>
  )
}
