import { z } from 'zod'

/** One HTTP call, described once and executed by both sides. */
export type Route = {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  path: `/api/${string}`
  /** One sentence for the API page. */
  summary: string
  params?: z.ZodType
  query?: z.ZodType
  body?: z.ZodType
  /** The fields of a multipart call: its files (see `FileField`) and text fields. */
  fields?: z.ZodType
  /** Shape of one server-sent event, when the response is an event stream. */
  events?: z.ZodType
  /** The possible content types, when the response is a file. */
  file?: readonly string[]
  /** Status of a success; 201 where something was created. */
  success?: 200 | 201 | 204
  /** The response comes at the end of long work, such as a conversion of thousands, so the handler has no timeout. */
  isLong?: boolean
  response: z.ZodType
}

/** Documents a file in the API page; handlers read files from the request as a stream. */
export const FileField = z.string().meta({ format: 'binary' })

/**
 * An idempotency key that the page chooses. Progress events carry it, and a request that is repeated with it, because
 * the response was lost, does not start the work again.
 */
export const RunId = z
  .string()
  .max(64)
  .regex(/^[\w-]+$/, 'must have only letters, digits, hyphens and underscores')
  .describe('An idempotency key: a repeated request with the same id is carried out once')

type Parsed<R, K extends string> = R extends Record<K, infer S extends z.ZodType> ? { [P in K]: z.output<S> } : unknown
type Unparsed<R, K extends string> = R extends Record<K, infer S extends z.ZodType> ? { [P in K]: z.input<S> } : unknown

/** How a caller names a route: `GET /api/media`. */
export type Address<R extends Route> = `${R['method']} ${R['path']}`

/** What a handler receives: parsed, with defaults, trimmed. */
export type ParsedInput<R extends Route> = Parsed<R, 'params'> & Parsed<R, 'query'> & Parsed<R, 'body'>
/** What a caller sends: before parsing. */
export type CallInput<R extends Route> = Unparsed<R, 'params'> & Unparsed<R, 'query'> & Unparsed<R, 'body'>
/** What a caller gets back. */
export type ResponseOf<R extends Route> = z.output<R['response']>
/** What a handler returns; the response schema then drops all fields that it does not name. */
export type HandlerResult<R extends Route> = z.input<R['response']>
export type EventOf<R extends Route> = R extends { events: infer S extends z.ZodType } ? z.output<S> : never

export function route<const R extends Route>(definition: R): R {
  return definition
}
