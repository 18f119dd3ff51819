import helmet from '@fastify/helmet'
import type { FastifyInstance } from 'fastify'

/** Scripts come from our own files only; pictures may come from https addresses, since a brand's logo may live elsewhere. */
const contentSecurityPolicy = {
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    // Radix and React place elements by style attributes; no style block or file of another host is let in.
    styleSrc: ["'self'", "'unsafe-inline'"],
    imgSrc: ["'self'", 'https:', 'data:', 'blob:'],
    mediaSrc: ["'self'", 'https:', 'blob:'],
    fontSrc: ["'self'"],
    connectSrc: ["'self'"],
    manifestSrc: ["'self'"],
    workerSrc: ["'self'", 'blob:'],
    formAction: ["'self'"],
    frameAncestors: ["'self'"],
    frameSrc: ["'self'"],
    baseUri: ["'none'"],
  },
}

export function protectPages(app: FastifyInstance) {
  app.register(helmet, {
    contentSecurityPolicy,
    crossOriginEmbedderPolicy: false,
    // A library at home is often reached without https; whoever has https gets the header from their proxy.
    strictTransportSecurity: false,
    referrerPolicy: { policy: 'strict-origin-when-cross-origin' },
  })
}
