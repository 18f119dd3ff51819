import type { FastifySchemaCompiler } from 'fastify'
import type { FastifySerializerCompiler } from 'fastify/types/schema.js'
import { z } from 'zod'
import { type AppError, invalid } from '#platform/errors.ts'

/** Parses with the contract's schema: sets defaults, drops unknown keys, and reports the first error with its field. */
export const validateByContract: FastifySchemaCompiler<z.ZodType> =
  ({ schema, httpPart }) =>
  (given: unknown) =>
    validate(schema, httpPart === 'querystring' ? dropBlanks(given as Query) : given)

/** Validates the text fields of an upload, which Fastify does not validate, by the same rules. */
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

/** Reads a missing body as an empty object, so that the error names the missing fields. */
function parse(schema: z.ZodType, value: unknown) {
  const parsed = schema.safeParse(value, { error: issueMessages })
  return parsed.success || value !== undefined ? parsed : schema.safeParse({}, { error: issueMessages })
}

type Query = Record<string, unknown>

/** An empty query parameter counts as absent: `?search=&collectionId=` lists everything. */
function dropBlanks(query: Query): Query {
  return Object.fromEntries(Object.entries(query).filter(([, text]) => text !== ''))
}

/** Responses contain only what the contract names. */
export const serializeByContract: FastifySerializerCompiler<z.ZodType> = ({ schema }) => {
  // Compiled at the first response, since compiling hundreds of routes would delay the start.
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

const kinds: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}
const units: Record<string, [one: string, many: string]> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
}

/** Messages for issues to which the contract gives no message; the name of the field precedes them. */
const issueMessages: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      if (!issue.path?.length) return 'The request must be a JSON object.'
      return issue.input === undefined ? 'is missing' : `must be ${kinds[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}`
    case 'too_small':
      return bound(issue.origin, issue.inclusive ? 'at least' : 'more than', issue.minimum)
    case 'too_big':
      return bound(issue.origin, issue.inclusive ? 'at most' : 'less than', issue.maximum)
    case 'invalid_format':
      return 'has an invalid format'
  }
}

function bound(origin: string, words: string, limit: number | bigint) {
  const unit = units[origin]
  const count = limit.toLocaleString('en')
  return unit ? `must have ${words} ${count} ${unit[limit === 1 ? 0 : 1]}` : `must be ${words} ${count}`
}

type Container = Record<string | number, unknown>
/** An iterator over an object's keys, or over a list's indexes (as numbers: their names would take more memory than the values). */
type Iterator = { container: Container; keys: string[] | null; count: number; next: number }

const iterate = (value: object): Iterator => {
  const keys = Array.isArray(value) ? null : Object.keys(value)
  return { container: value as Container, keys, count: keys ? keys.length : (value as unknown[]).length, next: 0 }
}

/**
 * PostgreSQL cannot store U+0000 and would fail with an error of its own. The search does not recurse, since a body may
 * be nested deeply, and visits one value at a time, since there may be hundreds of thousands.
 */
function findNul(value: unknown): { path: PropertyKey[] } | undefined {
  if (typeof value === 'string') return value.includes('\0') ? { path: [] } : undefined
  if (value === null || typeof value !== 'object') return undefined
  const stack = [iterate(value)]
  for (let top = stack.at(-1); top; top = stack.at(-1)) {
    if (top.next === top.count) {
      stack.pop()
      continue
    }
    const key = top.keys ? top.keys[top.next]! : top.next
    // The path ends at the object that has the key, since the key itself cannot be shown.
    if (typeof key === 'string' && key.includes('\0')) return { path: pathTo(stack.slice(0, -1)) }
    top.next++
    const entry = top.container[key]
    if (typeof entry === 'string' && entry.includes('\0')) return { path: pathTo(stack) }
    if (entry !== null && typeof entry === 'object') stack.push(iterate(entry))
  }
  return undefined
}

const pathTo = (stack: Iterator[]) => stack.map(({ keys, next }) => (keys ? keys[next - 1]! : next - 1))
