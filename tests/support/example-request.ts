import type { InjectOptions } from 'fastify'
import { multipart } from './multipart.ts'

/** The parts of the OpenAPI document that are needed to build a valid request. */
type Schema = {
  type?: string
  enum?: unknown[]
  examples?: unknown[]
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  minimum?: number
  format?: string
}
type Operation = {
  parameters: { name: string; in: 'path' | 'query'; schema: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}
export type Target = { method: string; url: string; operation?: Operation }

export const isId = (name: string) => /^id$|Ids?$/.test(name)
const isIdPath = (path: string) => isId(path.split(/[:?.]/).at(-1)!)
const bodyOf = (operation?: Operation) => Object.values(operation?.requestBody?.content ?? {})[0]?.schema
const isFile = ({ items, format }: Schema) => (items ?? { format }).format === 'binary'
const join = (path: string, name: string) => (path ? `${path}.${name}` : name)

/** The parameters of a call that are ids: `:id` in the path, `?collectionId` in the query, `names.id` in the body. */
export function listIdPaths({ url, operation }: Target): string[] {
  const inQuery = (operation?.parameters ?? []).filter((parameter) => parameter.in === 'query')
  const all = [...url.matchAll(/:\w+/g).map(([path]) => path), ...inQuery.map(({ name }) => `?${name}`)]
  return [...all.filter(isIdPath), ...idsWithin(bodyOf(operation))]
}

function idsWithin(schema?: Schema): string[] {
  return Object.entries(schema?.properties ?? {}).flatMap(([name, property]) => [
    ...(isId(name) ? [name] : []),
    ...idsWithin(property.items ?? property).map((inner) => `${name}.${inner}`),
  ])
}

type ExampleOptions = {
  /** The ids for a parameter. Optional parameters are included only if `isWanted` says so. */
  idsAt: (path: string) => readonly (string | number)[]
  isWanted: (path: string) => boolean
  file: Uint8Array
}

/** The smallest valid request, plus the optional parameters that are wanted. */
export function exampleRequest(
  { method, url, operation }: Target,
  { idsAt, isWanted, file }: ExampleOptions,
): InjectOptions {
  const query = (operation?.parameters ?? [])
    .filter((parameter) => parameter.in === 'query' && isWanted(`?${parameter.name}`))
    .map(({ name, schema }) => [name, String(example(schema, `?${name}`))])
  const request = {
    method: method as 'GET',
    url: url.replace(/:\w+/g, (path) => (isIdPath(path) ? String(idsAt(path)[0]) : path.slice(1))),
    query: Object.fromEntries(query),
  }
  const schema = bodyOf(operation)
  if (!schema) return request
  const body = example(schema, '') as Record<string, string>
  const isMultipart = 'multipart/form-data' in operation!.requestBody!.content
  return { ...request, ...(isMultipart ? multipart([{ name: 'a.jpg', bytes: file }], body) : { payload: body }) }

  function example(shape: Schema, path: string): unknown {
    if (isIdPath(path)) return shape.type === 'array' ? idsAt(path) : idsAt(path)[0]
    if (shape.examples) return shape.examples[0]
    if (shape.enum) return shape.enum[0]
    if (shape.anyOf) return example(shape.anyOf[0]!, path)
    if (shape.type === 'array') return [example(shape.items!, path)]
    if (shape.type === 'boolean') return true
    if (shape.type === 'string') return 'some-words'
    if (shape.type !== 'object') return shape.minimum ?? 50
    const wanted = Object.entries(shape.properties ?? {}).filter(
      ([name, inner]) => !isFile(inner) && (shape.required?.includes(name) || isWanted(join(path, name))),
    )
    return Object.fromEntries(wanted.map(([name, inner]) => [name, example(inner, join(path, name))]))
  }
}
