import type { Scope } from '#platform/server/http/scope.ts'
import { lazy } from '#shared/lazy.ts'
import { version } from '#shared/version.ts'
import { apiDocsPage } from './api-docs-page.ts'
import { openApiDocument } from './openapi.ts'

export function apiDocsRoutes({ app, access, routes }: Scope<null>) {
  // Anyone may request them, and writing them takes a tenth of a second; all routes are bound at the first request.
  const document = lazy(async () => JSON.stringify(openApiDocument(routes, version)))
  const page = lazy(async () => apiDocsPage(routes, version))
  app.get('/api/openapi.json', { config: { access } }, async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(await document.get()),
  )
  app.get('/api/docs', { config: { access } }, async (_request, reply) =>
    reply.type('text/html; charset=utf-8').send(await page.get()),
  )
}
