import type { FastifySchemaCompiler } from 'fastify'
import type { FastifySerializerCompiler } from 'fastify/types/schema.js'
import type { z } from 'zod'
import { invalid } from '#platform/errors.ts'

/** Parses with the contract's own schema: defaults are set, unknown keys dropped, the first fault named with its field. */
export const validateByContract: FastifySchemaCompiler<z.ZodType> =
  ({ schema }) =>
  (value: unknown) => {
    if (containsNul(value)) return { error: invalid('Text must not contain the character U+0000.') }
    const parsed = parse(schema, value ?? undefined)
    return parsed.success ? { value: parsed.data } : { error: invalidInput(parsed.error) }
  }

/** Nothing sent is read as an empty object, so that the answer names the fields that are missing. */
function parse(schema: z.ZodType, value: unknown) {
  const parsed = schema.safeParse(value)
  return parsed.success || value !== undefined ? parsed : schema.safeParse({})
}

/** Answers hold what the contract names and nothing else. */
export const serializeByContract: FastifySerializerCompiler<z.ZodType> =
  ({ schema }) =>
  (value) =>
    JSON.stringify(schema.parse(value))

export function invalidInput(error: z.ZodError) {
  const issue = error.issues[0]!
  const field = issue.path.join('.')
  return invalid(field ? `${field}: ${issue.message}` : issue.message, field ? { field } : {})
}

/** PostgreSQL cannot store U+0000 and would answer with a fault of its own. Without recursion: a body may be nested deeply. */
function containsNul(value: unknown): boolean {
  const pending = [value]
  while (pending.length > 0) {
    const next = pending.pop()
    if (typeof next === 'string' && next.includes('\0')) return true
    if (next === null || typeof next !== 'object') continue
    for (const [key, entry] of Object.entries(next)) {
      if (key.includes('\0')) return true
      pending.push(entry)
    }
  }
  return false
}
