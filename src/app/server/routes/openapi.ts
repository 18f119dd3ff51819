import { z } from 'zod'
import type { Route } from '#platform/contract.ts'
import type { Access, BoundRoute } from '#platform/server/http/scope.ts'

/** The OpenAPI document, made from the same contracts that run. */
export function openApiDocument(routes: BoundRoute[], version: string) {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const { route, access } of inOrder(routes)) {
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, access) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Albumen', version, description: 'Errors are `{ message, code }` with the fitting status.' },
    components: { securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: 'albumen_session' } } },
    paths,
  }
}

/** As they are shown: by their address. */
export const inOrder = (routes: BoundRoute[]) => routes.toSorted((a, b) => a.route.path.localeCompare(b.route.path))

function operation(route: Route, access: Access) {
  const status = String(route.success ?? 200)
  const content = route.events
    ? { 'text/event-stream': { schema: schemaOf(route.events, 'output') } }
    : { 'application/json': { schema: schemaOf(route.response, 'output') } }
  const requestSchema = route.body ?? route.fields
  return {
    summary: route.summary,
    tags: [route.path.split('/')[2]],
    ...(access !== 'open' && { security: [{ session: [] }] }),
    parameters: [...parameters(route.params, 'path'), ...parameters(route.query, 'query')],
    ...(requestSchema && {
      requestBody: {
        content: {
          [route.fields ? 'multipart/form-data' : 'application/json']: { schema: schemaOf(requestSchema, 'input') },
        },
      },
    }),
    responses: { [status]: { description: route.summary, ...(status !== '204' && { content }) } },
  }
}

function parameters(schema: z.ZodType | undefined, place: 'path' | 'query') {
  if (!schema) return []
  const { properties = {}, required = [] } = schemaOf(schema, 'input') as { properties?: object; required?: string[] }
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
