import { z } from 'zod'
import type { Route } from '#platform/contract.ts'
import type { Access, BoundRoute } from '#platform/server/http/scope.ts'
import { apiNotes } from './api-notes.ts'

const Refusal = z.looseObject({ message: z.string(), code: z.string(), field: z.string().optional() })
const cookie = (name: string) => ({ type: 'apiKey', in: 'cookie', name })
const components = {
  securitySchemes: { session: cookie('albumen_session'), sessionOverHttps: cookie('__Host-albumen_session') },
  responses: {
    Refusal: {
      description: 'The error: a message for people and a code for programs',
      content: { 'application/json': { schema: schemaOf(Refusal, 'output') } },
    },
  },
}

/** Who may use a call. */
export const accessWords = { open: 'anyone', 'signed-in': 'signed-in users', admin: 'administrators' }

/** Builds the OpenAPI document from the contracts that the server validates with. */
export function openApiDocument(routes: BoundRoute[], version: string) {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const { route, access } of inOrder(routes)) {
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, access) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Albumen', version, description: apiNotes.join('\n\n') },
    components,
    paths,
  }
}

/** Sorts calls by their path. */
export const inOrder = (routes: BoundRoute[]) => routes.toSorted((a, b) => a.route.path.localeCompare(b.route.path))

function operation(route: Route, access: Access) {
  const status = String(route.success ?? 200)
  return {
    summary: route.summary,
    description: `Available to ${accessWords[access]}.`,
    tags: [route.path.split('/')[2]],
    ...(access !== 'open' && { security: [{ session: [] }, { sessionOverHttps: [] }] }),
    parameters: [...parameters(route.params, 'path'), ...parameters(route.query, 'query')],
    ...requestBody(route),
    responses: {
      [status]: { description: route.summary, ...(status !== '204' && { content: answerOf(route) }) },
      default: { $ref: '#/components/responses/Refusal' },
    },
  }
}

function answerOf({ file, events, response }: Route) {
  if (file) return Object.fromEntries(file.map((type) => [type.split(';')[0], { schema: binary }]))
  if (events) return { 'text/event-stream': { schema: schemaOf(events, 'output') } }
  return { 'application/json': { schema: schemaOf(response, 'output') } }
}

const binary = { type: 'string', format: 'binary' }

function requestBody({ body, fields }: Route) {
  const given = body ?? fields
  if (!given) return {}
  const schema: Shape = schemaOf(given, 'input')
  const type = fields ? 'multipart/form-data' : 'application/json'
  return { requestBody: { required: Boolean(schema.required?.length), content: { [type]: { schema } } } }
}

type Shape = { properties?: object; required?: string[] }

function parameters(schema: z.ZodType | undefined, place: 'path' | 'query') {
  if (!schema) return []
  const { properties = {}, required = [] }: Shape = schemaOf(schema, 'input')
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: property,
  }))
}

export function schemaOf(schema: z.ZodType, io: 'input' | 'output') {
  const { $schema: _version, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return rest
}
