import type { ComponentProps, ReactNode } from 'react'
import { classNames } from '../class-names.ts'
import { type ControlVariant, controlClasses } from './control-classes.ts'
import { useFieldControl } from './field.tsx'

export type InputProps = ComponentProps<'input'> & {
  /** An icon before the text. */
  leading?: ReactNode
  /** A key hint, unit or small button after the text. */
  trailing?: ReactNode
  variant?: ControlVariant
}

export function Input({ leading, trailing, variant, className, ...props }: InputProps) {
  const field = useFieldControl()
  return (
    <div className={classNames('relative w-full', className)}>
      {leading && (
        <span className="pointer-events-none absolute inset-y-0 left-0 grid w-9 place-items-center text-faint">
          {leading}
        </span>
      )}
      <input
        {...field}
        dir="auto"
        {...props}
        className={classNames(
          controlClasses(variant),
          'h-9 [&[readonly]]:bg-raised [&[type=color]]:p-1',
          leading ? 'pl-9' : 'pl-3',
          trailing ? 'pr-10' : 'pr-3',
        )}
      />
      {trailing && (
        <span className="absolute inset-y-0 right-0 flex items-center pr-2 text-faint text-sm">{trailing}</span>
      )}
    </div>
  )
}
