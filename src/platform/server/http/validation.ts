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

type Held = Record<string | number, unknown>
/** What is being looked through: an object by its keys, a list by its numbers, whose names would cost more than their values. */
type Place = { held: Held; keys: string[] | null; count: number; next: number }

const placeOf = (held: object): Place => {
  const keys = Array.isArray(held) ? null : Object.keys(held)
  return { held: held as Held, keys, count: keys ? keys.length : (held as unknown[]).length, next: 0 }
}

/**
 * PostgreSQL cannot store U+0000 and would answer with a fault of its own. Without recursion, since a body may be nested
 * deeply, and one value at a time, since it may hold hundreds of thousands.
 */
function findNul(value: unknown): { path: PropertyKey[] } | undefined {
  if (typeof value === 'string') return value.includes('\0') ? { path: [] } : undefined
  if (value === null || typeof value !== 'object') return undefined
  const open = [placeOf(value)]
  for (let place = open.at(-1); place; place = open.at(-1)) {
    if (place.next === place.count) {
      open.pop()
      continue
    }
    const key = place.keys ? place.keys[place.next]! : place.next
    // The name itself cannot be shown; what it stands in can.
    if (typeof key === 'string' && key.includes('\0')) return { path: pathTo(open.slice(0, -1)) }
    place.next++
    const entry = place.held[key]
    if (typeof entry === 'string' && entry.includes('\0')) return { path: pathTo(open) }
    if (entry !== null && typeof entry === 'object') open.push(placeOf(entry))
  }
  return undefined
}

/** Where each of them has come to. */
const pathTo = (open: Place[]) => open.map(({ keys, next }) => (keys ? keys[next - 1]! : next - 1))
