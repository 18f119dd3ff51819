import type { FastifySchemaCompiler } from 'fastify'
import type { FastifySerializerCompiler } from 'fastify/types/schema.js'
import { z } from 'zod'
import { type AppError, invalid } from '#platform/errors.ts'
import { faultWords } from './fault-words.ts'

/** Parses with the contract's own schema: defaults are set, unknown keys dropped, the first fault named with its field. */
export const validateByContract: FastifySchemaCompiler<z.ZodType> =
  ({ schema, httpPart }) =>
  (given: unknown) =>
    validate(schema, httpPart === 'querystring' ? withoutBlanks(given as Query) : given)

/** The fields beside the files of an upload, which Fastify does not validate: by the same rules. */
export function parseFields<Schema extends z.ZodType>(schema: Schema, fields: unknown): z.output<Schema> {
  const { value, error } = validate(schema, fields)
  if (error) throw error
  return value as z.output<Schema>
}

function validate(schema: z.ZodType, given: unknown): { value?: unknown; error?: AppError } {
  const nul = findNul(given)
  if (nul) return { error: invalidAt(nul.path, 'Text must not contain the character U+0000.') }
  const parsed = parse(schema, given ?? undefined)
  return parsed.success ? { value: parsed.data } : { error: invalidInput(parsed.error) }
}

/** Nothing sent is read as an empty object, so that the answer names the fields that are missing. */
function parse(schema: z.ZodType, value: unknown) {
  const parsed = schema.safeParse(value, { error: faultWords })
  return parsed.success || value !== undefined ? parsed : schema.safeParse({}, { error: faultWords })
}

type Query = Record<string, unknown>

/** In an address, what is left empty is not given: `?search=&collectionId=` asks for everything. */
function withoutBlanks(query: Query): Query {
  return Object.fromEntries(Object.entries(query).filter(([, text]) => text !== ''))
}

/** Answers hold what the contract names and nothing else. */
export const serializeByContract: FastifySerializerCompiler<z.ZodType> = ({ schema }) => {
  // At the first answer: hundreds of routes at the start would be waited for.
  let compiled: z.ZodType | undefined
  return (value) => {
    compiled ??= z.compile(schema)
    return JSON.stringify(compiled.parse(value))
  }
}

function invalidInput(error: z.ZodError) {
  const issue = error.issues[0]!
  return invalidAt(issue.path, issue.message)
}

function invalidAt(path: readonly PropertyKey[], message: string) {
  const field = path.join('.')
  return invalid(field ? `${field}: ${message}` : message, field ? { field } : {})
}

type Place = { value: unknown; key?: string; within?: Place }

/** PostgreSQL cannot store U+0000 and would answer with a fault of its own. Without recursion: a body may be nested deeply. */
function findNul(value: unknown): { path: string[] } | undefined {
  const pending: Place[] = [{ value }]
  for (let place = pending.pop(); place; place = pending.pop()) {
    const { value: next } = place
    if (typeof next === 'string' && next.includes('\0')) return { path: pathTo(place) }
    if (next === null || typeof next !== 'object') continue
    for (const [key, entry] of Object.entries(next)) {
      // The name itself cannot be shown; what it stands in can.
      if (key.includes('\0')) return { path: pathTo(place) }
      pending.push({ value: entry, key, within: place })
    }
  }
  return undefined
}

function pathTo(place: Place) {
  const path: string[] = []
  for (let at: Place | undefined = place; at?.key !== undefined; at = at.within) path.push(at.key)
  return path.reverse()
}
