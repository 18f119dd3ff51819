import type { FastifyInstance, FastifyReply } from 'fastify'

/** Stricter than the application's own: no inline style either, since branding comes as a file. */
function policy({ ancestors = "'self'", forms = "'none'" }) {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' https: data:",
    "media-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    `form-action ${forms}`,
    `frame-ancestors ${ancestors}`,
    "base-uri 'none'",
  ].join('; ')
}

const ownPolicy = policy({})
const formPolicy = policy({ forms: "'self'" })
const embeddedPolicy = policy({ ancestors: '*' }).replace("script-src 'self'; ", '')

export function protectPublicPages(app: FastifyInstance) {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('content-security-policy', ownPolicy)
    done()
  })
}

/** The one page with a form: it asks for the password. */
export function sendForm(reply: FastifyReply, status: number, page: string) {
  return sendPage(reply.header('content-security-policy', formPolicy), status, page)
}

/** What is public may be private a moment later, so every view asks again. */
export function sendPage(reply: FastifyReply, status: number, page: string | Buffer, isEmbedded = false) {
  if (isEmbedded) {
    // The one view that other websites may put into a frame; it has no script and no form.
    reply.header('content-security-policy', embeddedPolicy)
    reply.removeHeader('x-frame-options').header('cross-origin-resource-policy', 'cross-origin')
  }
  return reply
    .code(status)
    .type('text/html; charset=utf-8')
    .headers({ 'cache-control': 'private, no-cache', vary: 'Cookie, Accept-Encoding' })
    .send(page)
}
