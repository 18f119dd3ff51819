import Check from 'lucide-react/icons/check'
import Minus from 'lucide-react/icons/minus'
import { type ComponentProps, type ReactNode, useEffect, useRef } from 'react'
import { classNames } from './class-names.ts'
import { type OnCheckedChange, useWish } from './use-wish.ts'

export type CheckboxProps = Omit<ComponentProps<'input'>, 'type' | 'children'> & {
  /** Words beside the box; without them pass aria-label. */
  label?: ReactNode
  hint?: ReactNode
  /** Some but not all. */
  isIndeterminate?: boolean
  onCheckedChange?: OnCheckedChange
}

export function Checkbox({
  label,
  hint,
  isIndeterminate = false,
  checked,
  onCheckedChange,
  onChange,
  className,
  ...props
}: CheckboxProps) {
  const [shown, wish] = useWish(checked, onCheckedChange)
  const boxRef = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    // The mixed state exists only as a property, not as an attribute.
    const input = boxRef.current?.querySelector('input')
    if (input) input.indeterminate = isIndeterminate
  }, [isIndeterminate])

  const box = (
    <span
      ref={boxRef}
      className={classNames('relative inline-grid size-4.5 shrink-0 place-items-center', !label && className)}
    >
      <input
        {...props}
        checked={shown}
        type="checkbox"
        onChange={(event) => {
          onChange?.(event)
          wish(event.target.checked)
        }}
        className="peer absolute inset-0 appearance-none rounded-[5px] border border-line-control bg-surface transition-[background-color,border-color] checked:border-accent checked:bg-accent indeterminate:border-accent indeterminate:bg-accent hover:border-muted disabled:opacity-45"
      />
      {isIndeterminate ? (
        <Minus aria-hidden="true" className="pointer-events-none relative size-3.5 stroke-3 text-on-accent" />
      ) : (
        <Check
          aria-hidden="true"
          className="pointer-events-none relative size-3.5 stroke-3 text-on-accent opacity-0 transition-opacity peer-checked:opacity-100"
        />
      )}
    </span>
  )
  if (!label) return box
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is in the box
    <label className={classNames('flex items-start gap-2.5 has-disabled:opacity-60', className)}>
      {box}
      <span className="-mt-px flex flex-col">
        {label}
        {hint && <span className="text-muted text-sm">{hint}</span>}
      </span>
    </label>
  )
}
