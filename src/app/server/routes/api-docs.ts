import type { Scope } from '#platform/server/http/scope.ts'
import { version } from '#shared/version.ts'
import { apiDocsPage } from './api-docs-page.ts'
import { openApiDocument } from './openapi.ts'

export function apiDocsRoutes({ app, access, routes }: Scope<null>) {
  app.get('/api/openapi.json', { config: { access } }, async () => openApiDocument(routes, version))
  app.get('/api/docs', { config: { access } }, async (_request, reply) =>
    reply.type('text/html; charset=utf-8').send(apiDocsPage(routes, version)),
  )
}
