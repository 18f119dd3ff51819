import Check from 'lucide-react/icons/check'
import type { ComponentProps, ReactNode } from 'react'
import { classNames } from '../class-names.ts'
import { type OnCheckedChange, useWish } from './use-wish.ts'

type CheckboxProps = Omit<ComponentProps<'input'>, 'type' | 'children'> & {
  /** Words beside the box; without them pass aria-label. */
  label?: ReactNode
  hint?: ReactNode
  onCheckedChange?: OnCheckedChange
}

export function Checkbox({ label, hint, checked, onCheckedChange, onChange, className, ...props }: CheckboxProps) {
  const [shown, wish] = useWish(checked, onCheckedChange)
  const box = (
    <span className={classNames('relative inline-grid size-4.5 shrink-0 place-items-center', !label && className)}>
      <input
        {...props}
        checked={shown}
        type="checkbox"
        onChange={(event) => {
          onChange?.(event)
          wish(event.target.checked)
        }}
        className="peer absolute inset-0 appearance-none rounded-sm border border-line-control bg-surface checked:border-accent checked:bg-accent hover:border-muted disabled:opacity-45"
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
