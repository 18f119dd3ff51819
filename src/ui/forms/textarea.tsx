import type { ComponentProps } from 'react'
import { classNames } from '../class-names.ts'
import { controlClasses } from './control-classes.ts'
import { useFieldControl } from './field.tsx'

/** Grows with its text, where the browser supports that, up to a third of the screen. */
export function Textarea({ className, rows = 3, ...props }: ComponentProps<'textarea'>) {
  const field = useFieldControl()
  return (
    <textarea
      {...field}
      dir="auto"
      rows={rows}
      {...props}
      className={classNames(
        controlClasses(),
        '[&[readonly]]:bg-raised field-sizing-content max-h-[33vh] min-h-20 resize-y px-3 py-2',
        className,
      )}
    />
  )
}
