import type { FastifySchemaCompiler } from 'fastify'
import type { FastifySerializerCompiler } from 'fastify/types/schema.js'
import type { z } from 'zod'
import { invalid } from '#platform/errors.ts'

/** Parses with the contract's own schema: defaults are set, unknown keys dropped, the first fault named with its field. */
export const validateByContract: FastifySchemaCompiler<z.ZodType> =
  ({ schema }) =>
  (value: unknown) => {
    if (containsNul(value)) return { error: invalid('Text must not contain the character U+0000.') }
    const parsed = schema.safeParse(value ?? undefined)
    return parsed.success ? { value: parsed.data } : { error: invalidInput(parsed.error) }
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

/** PostgreSQL cannot store U+0000 and would answer with a fault of its own. */
function containsNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0')
  if (Array.isArray(value)) return value.some(containsNul)
  if (value === null || typeof value !== 'object') return false
  return Object.entries(value).some(([key, entry]) => key.includes('\0') || containsNul(entry))
}
