import type { FastifyInstance } from 'fastify'

/** Scripts come from our own files only; pictures may come from https addresses, since a brand's logo may live elsewhere. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  // The API page and the preview of a shared collection have a style block of their own; no file of another host is let in.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' https: data: blob:",
  "media-src 'self' https: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self' blob:",
  "form-action 'self'",
  "frame-ancestors 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
].join(';')

/**
 * The same for every answer, so they are written down once instead of being put together for each request. No
 * `strict-transport-security`: a library at home is often reached without https, and whoever has https gets it from their proxy.
 */
const headers = {
  'content-security-policy': contentSecurityPolicy,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'SAMEORIGIN',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
}

export function protectPages(app: FastifyInstance) {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers)
    done()
  })
}
