import { type SubmitEvent, type SyntheticEvent, useRef, useState } from 'react'
import type { z } from 'zod'
import { ApiError, messageOf } from '#platform/client/call.ts'

type Errors<Values> = Partial<Record<keyof Values, string>>

/**
 * A form validated with its contract: each error is shown at its field, and the first one gets the focus. After the
 * first submit, a field is validated again whenever it changes.
 */
export function useAuthForm<Values>(schema: z.ZodType<Values>, send: (values: Values) => void) {
  const ref = useRef<HTMLFormElement>(null)
  const [errors, setErrors] = useState<Errors<Values>>()

  function check() {
    const { data, error } = schema.safeParse(Object.fromEntries(new FormData(ref.current!)))
    const found: Errors<Values> = {}
    for (const { path, message } of error?.issues ?? []) found[path[0] as keyof Values] ??= message
    return { data, found }
  }

  const inputOf = (name: keyof Values) => ref.current!.elements.namedItem(String(name)) as HTMLInputElement

  function onSubmit(event: SubmitEvent) {
    event.preventDefault()
    const { data, found } = check()
    setErrors(found)
    const [first] = Object.keys(found) as (keyof Values)[]
    if (first) inputOf(first).focus()
    if (data) send(data)
  }

  function onChange({ target }: SyntheticEvent) {
    const { name } = target as HTMLInputElement
    if (errors) setErrors({ ...errors, [name]: check().found[name as keyof Values] })
  }

  /** Shows a server error at the field it names, or else at the given one. */
  function showError(error: Error, usual?: keyof Values) {
    const name = (namedField(error) as keyof Values | undefined) ?? usual
    if (name === undefined || !inputOf(name)) return
    setErrors((others) => ({ ...others, [name]: messageOf(error, '') }))
    inputOf(name).focus()
  }

  return { errors, inputOf, showError, form: { ref, onSubmit, onChange } }
}

function namedField(error: Error) {
  const body = error instanceof ApiError ? error.body : undefined
  return typeof body === 'object' && body !== null && 'field' in body ? String(body.field) : undefined
}
