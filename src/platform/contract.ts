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
  /** The fields of a multipart call: its files, see `FileField`, and the texts that accompany them. */
  fields?: z.ZodType
  /** Shape of one server-sent event, when the answer is a stream of them. */
  events?: z.ZodType
  /** The types that the answer can have, when it is a file. */
  file?: readonly string[]
  /** Status of a success; 201 where something was created. */
  success?: 200 | 201 | 204
  /** The answer comes when long work ends (a conversion of thousands, an archive): no clock cuts it off. */
  isLong?: boolean
  response: z.ZodType
}

/** Read as it arrives, and told to whoever writes a client. */
export const FileField = z.string().meta({ format: 'binary' })

/**
 * Chosen by the page: progress events carry it, so that the page knows which run they belong to; and what is asked for again
 * by it, because the answer got lost, is not done again.
 */
export const RunId = z
  .string()
  .max(64)
  .regex(/^[\w-]+$/, 'has only letters, digits, hyphens and underscores')
  .describe('A name for what is asked for; asked for again by the same name, it is done once')

type Parsed<R, K extends string> = R extends Record<K, infer S extends z.ZodType> ? { [P in K]: z.output<S> } : unknown
type Unparsed<R, K extends string> = R extends Record<K, infer S extends z.ZodType> ? { [P in K]: z.input<S> } : unknown

/** How a caller names a route: `GET /api/media`. */
export type Address<R extends Route> = `${R['method']} ${R['path']}`

/** What a handler receives: parsed, defaulted, trimmed. */
export type Received<R extends Route> = Parsed<R, 'params'> & Parsed<R, 'query'> & Parsed<R, 'body'>
/** What a caller sends: before parsing. */
export type Sent<R extends Route> = Unparsed<R, 'params'> & Unparsed<R, 'query'> & Unparsed<R, 'body'>
/** What a caller gets back. */
export type Answer<R extends Route> = z.output<R['response']>
/** What a handler returns; the response schema then drops whatever it does not name. */
export type Returned<R extends Route> = z.input<R['response']>
export type EventOf<R extends Route> = R extends { events: infer S extends z.ZodType } ? z.output<S> : never

export function route<const R extends Route>(definition: R): R {
  return definition
}
