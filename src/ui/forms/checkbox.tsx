import Check from 'lucide-react/icons/check'
import type { ComponentProps, ReactNode } from 'react'
import { classNames } from '../class-names.ts'
import { checkInputClasses } from './control-classes.ts'
import { type OnCheckedChange, useOptimisticChecked } from './use-optimistic-checked.ts'

type CheckboxProps = Omit<ComponentProps<'input'>, 'type' | 'children'> & {
  /** The text next to the box; without it pass aria-label. */
  label?: ReactNode
  hint?: ReactNode
  onCheckedChange?: OnCheckedChange
}

export function Checkbox({ label, hint, checked, onCheckedChange, onChange, className, ...props }: CheckboxProps) {
  const [shown, change] = useOptimisticChecked(checked, onCheckedChange)
  const box = (
    <span className={classNames('relative inline-grid size-4.5 shrink-0 place-items-center', !label && className)}>
      <input
        {...props}
        checked={shown}
        type="checkbox"
        onChange={(event) => {
          onChange?.(event)
          change(event.target.checked)
        }}
        className={classNames(checkInputClasses, 'rounded-sm hover:border-muted disabled:opacity-45')}
      />
      <Check
        aria-hidden="true"
        className="pointer-events-none relative stroke-[2.5] text-on-accent opacity-0 transition-opacity peer-checked:opacity-100"
      />
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
