import { createContext, type ReactNode, use, useId } from 'react'
import { classNames } from '../class-names.ts'

type FieldControl = { id: string; 'aria-describedby': string | undefined; 'aria-invalid': boolean }

const FieldContext = createContext<FieldControl | undefined>(undefined)

/** The id and ARIA attributes that connect a control to the field around it. */
export function useFieldControl(): Partial<FieldControl> {
  return use(FieldContext) ?? {}
}

type FieldProps = {
  label: ReactNode
  hint?: ReactNode
  /** The validation message. */
  error?: ReactNode
  isOptional?: boolean
  isLabelHidden?: boolean
  className?: string
  /** One Input, Textarea or Select. */
  children: ReactNode
}

export function Field({ label, hint, error, isOptional, isLabelHidden, className, children }: FieldProps) {
  const id = useId()
  const hintId = hint ? `${id}-hint` : undefined
  const errorId = error ? `${id}-error` : undefined
  const control: FieldControl = {
    id,
    'aria-describedby': [errorId, hintId].filter(Boolean).join(' ') || undefined,
    // Set even when valid, since browsers report an empty required field as invalid before the user has typed.
    'aria-invalid': Boolean(error),
  }
  return (
    <FieldContext value={control}>
      <div className={classNames('flex flex-col gap-1.5', className)}>
        <Label htmlFor={id} isOptional={isOptional} className={isLabelHidden ? 'sr-only' : undefined}>
          {label}
        </Label>
        {children}
        {error && (
          <p id={errorId} role="alert" className="wrap-anywhere text-danger text-sm">
            {error}
          </p>
        )}
        {hint && (
          <p id={hintId} className="wrap-anywhere text-muted text-sm">
            {hint}
          </p>
        )}
      </div>
    </FieldContext>
  )
}

type LabelProps = { htmlFor: string; isOptional?: boolean; className?: string; children: ReactNode }

export function Label({ htmlFor, isOptional, className, children }: LabelProps) {
  return (
    <label
      htmlFor={htmlFor}
      className={classNames('flex justify-between gap-2 font-medium text-ink text-sm', className)}
    >
      {children}
      {isOptional && <span className="font-normal text-faint">Optional</span>}
    </label>
  )
}
