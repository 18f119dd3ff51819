import { type ComponentProps, type ReactNode, useId } from 'react'
import { classNames } from '../class-names.ts'
import { checkInputClasses } from './control-classes.ts'
import { type OnCheckedChange, useOptimisticChecked } from './use-optimistic-checked.ts'

type SwitchProps = Omit<ComponentProps<'input'>, 'type' | 'children' | 'role'> & {
  label: ReactNode
  hint?: ReactNode
  onCheckedChange?: OnCheckedChange
}

const knobClasses = classNames(
  'pointer-events-none absolute top-1 left-1 size-3 rounded-full bg-muted transition-transform',
  'peer-checked:translate-x-3.5 peer-checked:bg-on-accent',
)

/** A setting that takes effect at once. The label is on the left, the switch on the right, and the whole row is clickable. */
export function Switch(props: SwitchProps) {
  const { label, hint, checked, onCheckedChange, onChange, className, ...rest } = props
  const id = useId()
  const [shown, change] = useOptimisticChecked(checked, onCheckedChange)

  return (
    <label className={classNames('flex items-start justify-between gap-4 has-disabled:opacity-60', className)}>
      <span className="flex flex-col">
        <span id={`${id}-label`}>{label}</span>
        {hint && (
          <span id={`${id}-hint`} className="text-pretty text-muted text-sm">
            {hint}
          </span>
        )}
      </span>
      <span className="relative inline-flex h-5 w-8.5 shrink-0">
        <input
          {...rest}
          checked={shown}
          type="checkbox"
          // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox tells its own state
          role="switch"
          aria-labelledby={`${id}-label`}
          aria-describedby={hint ? `${id}-hint` : undefined}
          onChange={(event) => {
            onChange?.(event)
            change(event.target.checked)
          }}
          className={classNames(checkInputClasses, 'rounded-full')}
        />
        <span className={knobClasses} />
      </span>
    </label>
  )
}
