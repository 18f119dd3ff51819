import { type ComponentProps, type ReactNode, useId } from 'react'
import { classNames } from '../class-names.ts'
import { type OnCheckedChange, useWish } from './use-wish.ts'

type SwitchProps = Omit<ComponentProps<'input'>, 'type' | 'children' | 'role'> & {
  label: ReactNode
  hint?: ReactNode
  onCheckedChange?: OnCheckedChange
}

/** Takes effect at once. Words left, switch right; the whole line is the target. */
export function Switch(props: SwitchProps) {
  const { label, hint, checked, onCheckedChange, onChange, className, ...rest } = props
  const id = useId()
  const [shown, wish] = useWish(checked, onCheckedChange)

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
            wish(event.target.checked)
          }}
          className="peer absolute inset-0 appearance-none rounded-full border border-line-control bg-surface checked:border-accent checked:bg-accent"
        />
        <span className="pointer-events-none absolute top-1 left-1 size-3 rounded-full bg-muted transition-transform peer-checked:translate-x-3.5 peer-checked:bg-on-accent" />
      </span>
    </label>
  )
}
