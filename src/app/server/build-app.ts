import { randomUUID } from 'node:crypto'
import { constants, type ZstdOptions, zstdCompressSync } from 'node:zlib'
import compress from '@fastify/compress'
import cookie from '@fastify/cookie'
import Fastify, { type FastifyInstance, LogController } from 'fastify'
import { adminScope, openScope, signedInScope } from '#features/auth/server/guards.ts'
import { refuseWhileRestoring } from '#features/backups/server/restores/restore-gate.ts'
import { AppError } from '#platform/errors.ts'
import {
  defaultTimeouts,
  limitRequestTime,
  serverTimeouts,
  type Timeouts,
} from '#platform/server/http/connection-limits.ts'
import { handleBadUrl, handleClientError, handleErrors } from '#platform/server/http/error-handler.ts'
import { respondNotModified } from '#platform/server/http/etag.ts'
import { ignoreMalformedForwarding, refuseForeignOrigins } from '#platform/server/http/origin.ts'
import {
  collectMethods,
  logResponses,
  parseJsonBodies,
  refuseWhenClosing,
} from '#platform/server/http/request-hooks.ts'
import { type BoundRoute, requireScopes } from '#platform/server/http/scope.ts'
import { serializeByContract, validateByContract } from '#platform/server/http/validation.ts'
import { builtClientDir, serveClient } from './client-files.ts'
import { adminFeatures, openFeatures, signedInFeatures } from './features.ts'
import { apiDocsRoutes } from './routes/api-docs.ts'
import { healthRoutes } from './routes/health.ts'
import { protectPages } from './security-headers.ts'
import type { Services } from './services.ts'

/**
 * API responses and pages are compressed for each request, so quickly: the best compression of a list takes five times as
 * long and saves a sixth. zstd takes a third of the time of the others, and less memory when it knows the length.
 */
const packing = {
  encodings: ['zstd', 'br', 'gzip'] as ('zstd' | 'br' | 'gzip')[],
  threshold: 1024,
  // Responses up to this size are compressed in one call, since a stream costs more than compressing a whole list.
  syncThreshold: 256 * 1024,
  brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } },
  // `level` is read by gzip, `params` by zstd.
  zlibOptions: { level: 1, params: { [constants.ZSTD_c_compressionLevel]: 1 } },
  zlib: {
    zstdCompressSync: (body: Buffer, options: ZstdOptions) =>
      zstdCompressSync(body, { ...options, pledgedSrcSize: body.length }),
  },
  // Request bodies are never decompressed: the client does not compress them.
  globalDecompression: false,
}

/** Body limit without a session: thousands of unfinished requests must not fill the memory. */
const openBodyBytes = 16 * 1024

type Options = { timeouts?: Timeouts; clientDir?: string }

/** Builds the whole server, or for a worker only its health check, without listening yet. */
export async function buildApp(services: Services, options: Options = {}): Promise<FastifyInstance> {
  const { timeouts = defaultTimeouts, clientDir = builtClientDir } = options
  const { config, log, db } = services
  const app = Fastify({
    loggerInstance: log,
    // Unique across restarts and processes, since a user may quote it days later.
    genReqId: () => randomUUID(),
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: config.trustProxy.length > 0 ? config.trustProxy : false,
    bodyLimit: openBodyBytes,
    // Fastify's own error has another format; see `refuseWhenClosing`.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 512 },
    frameworkErrors: handleBadUrl,
    clientErrorHandler: handleClientError,
    ...serverTimeouts(timeouts),
  })
  app.decorate('publicUrl', config.publicUrl)
  app.setValidatorCompiler(validateByContract)
  app.setSerializerCompiler(serializeByContract)
  parseJsonBodies(app)
  handleErrors(app)
  ignoreMalformedForwarding(app)
  requireScopes(app)
  const methodsOf = collectMethods(app)
  logResponses(app)
  limitRequestTime(app, timeouts)
  refuseForeignOrigins(app, config.publicUrl)
  respondNotModified(app)
  protectPages(app)
  refuseWhenClosing(app)
  refuseWhileRestoring(app, services)
  await app.register(cookie)
  await app.register(compress, packing)

  const routes: BoundRoute[] = []
  if (config.role === 'worker') {
    await app.register(async (part) => healthRoutes(openScope(part, { db, routes }), services))
    app.setNotFoundHandler(() => {
      throw new AppError('works-in-background', 404, 'This process is a background worker and serves no pages.')
    })
    return app
  }
  await app.register(async (part) => openFeatures(openScope(part, { db, routes }), { ...services, clientDir }))
  await app.register(async (part) => signedInFeatures(signedInScope(part, { db, routes }), { ...services, clientDir }))
  await app.register(async (part) => adminFeatures(adminScope(part, { db, routes }), services))
  await app.register(async (part) => apiDocsRoutes(openScope(part, { db, routes })))
  await serveClient(app, services, { clientDir, methodsOf })
  return app
}
