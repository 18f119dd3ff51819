import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { hasSeen } from './etag.ts'
import { logAnswered } from './log-answers.ts'

const maxBytes = 32 * 1024 * 1024
const maxAnswerBytes = 1024 * 1024
/** By then also what hangs on something else than the database is asked anew: a clock, a model that has woken up. */
const longestMs = 60_000
/** Most thumbnails are asked for once, and then kept by the browser: an answer is kept only where the question has come before. */
const rememberedQuestions = 2000
const maxQuestionLength = 2000

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What it answers follows from the database, its address and who asks; see [Note: Answers are kept]. */
    isKept?: boolean
  }
}

/** What is known of an answer in the making: as of which state of the database, if it may be kept, and until when it holds. */
type Keeping = { question: string; version?: string; until: number }
/** Without a body where all who asked had it already. */
type Kept = Keeping & { etag?: string; headers: string[]; body?: Buffer }

const keepings = new WeakMap<FastifyRequest, Keeping>()

/** For what lets somebody in until a certain moment, which comes without anything being written. */
export function keepUntil(request: FastifyRequest, moment: number) {
  const keeping = keepings.get(request)
  if (keeping) keeping.until = Math.min(keeping.until, moment)
}

/** For an answer of which more may be known in a moment. */
export const keepNot = (request: FastifyRequest) => void keepings.delete(request)

type Options = { readVersion: () => string | undefined; log: FastifyBaseLogger }

/**
 * [Note: Answers are kept]
 * A page asks again whenever it is looked at, and as a rule nothing has happened since. So the answers of some routes are
 * kept as they were sent, and are sent again to the same person (the whole cookie is part of the question) for as long as
 * nothing at all was written to the database: who was signed out since, who lost a right, and what was renamed, deleted or
 * taken back, are all writes. What only the clock changes is told by `keepUntil`. It happens before Fastify sees the
 * request, so it costs little more than the bytes do. Where the database does not say whether anything was written
 * (PostgreSQL), nothing is kept. To be called before the routes, and after whatever else packs or changes what they answer.
 */
export function keepAnswers(app: FastifyInstance, { readVersion, log }: Options) {
  if (readVersion() === undefined) return
  const answers = new LRUCache<string, Kept>({
    maxSize: maxBytes,
    sizeCalculation: ({ body }, question) => (body?.length ?? 0) + question.length + 2000,
  })
  const questions = new Set<string>()
  let lastVersion: string | undefined
  let isEnding = false
  let isOpen = true

  const [listener] = app.server.listeners('request') as RequestListener[]
  app.server.removeAllListeners('request')
  app.server.on('request', (request, response) => {
    if (!answerAgain(request, response)) listener!(request, response)
  })
  app.addHook('preClose', async () => {
    isOpen = false
  })
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.routeOptions.config.isKept && isPlain(request.raw)) begin(request)
    done()
  })
  app.addHook('onRoute', (route) => {
    if (!route.config?.isKept) return
    route.onSend = [route.onSend ?? []].flat().concat((request, reply, payload, done) => {
      const keeping = keepings.get(request)
      if (keeping) finish(keeping, reply, payload)
      done(null, payload)
    })
  })

  /** Says whether it did. */
  function answerAgain(request: IncomingMessage, response: ServerResponse): boolean {
    const kept = isOpen && isPlain(request) ? answers.get(questionOf(request)) : undefined
    if (!kept || kept.until <= Date.now() || kept.version !== versionNow()) return false
    const isConditional = 'if-none-match' in request.headers
    if (isConditional ? !hasSeen(request, kept.etag) : !kept.body) return false
    if (isConditional) response.writeHead(304, withoutContent(kept.headers)).end()
    else response.writeHead(200, kept.headers).end(kept.body)
    const url = request.url!
    if (url.startsWith('/api/')) {
      logAnswered(log, { reqId: randomUUID(), method: 'GET', url, status: response.statusCode, ms: 0 })
    }
    return true
  }

  /** Before anything is read for it, also who asks. */
  function begin(request: FastifyRequest) {
    const question = questionOf(request.raw)
    if (question.length > maxQuestionLength) return
    const version = questions.has(question) ? versionNow() : undefined
    keepings.set(request, { question, version, until: Number.POSITIVE_INFINITY })
  }

  function finish(keeping: Keeping, reply: FastifyReply, payload: unknown) {
    const said = reply.getHeaders()
    const isUnchanged = reply.statusCode === 304
    const body = typeof payload === 'string' ? Buffer.from(payload) : payload
    const isWhole = reply.statusCode === 200 && Buffer.isBuffer(body) && body.length <= maxAnswerBytes
    if (!(isUnchanged || isWhole) || said['set-cookie']) return
    const { question, version } = keeping
    if (version === undefined) return remember(question)
    // What was read while somebody wrote may be of before or after.
    if (versionNow() !== version) return
    if (lastVersion !== version) answers.clear()
    lastVersion = version
    // Nor does what lies here lie for longer, whoever asks or does not ask.
    if (!isEnding) setTimeout(endAll, longestMs).unref()
    isEnding = true
    const headers = listed(isWhole ? { ...said, 'content-length': body.length } : said)
    answers.set(question, { ...keeping, etag: said.etag?.toString(), headers, ...(isWhole && { body }) })
  }

  function remember(question: string) {
    if (questions.size === rememberedQuestions) questions.clear()
    questions.add(question)
  }

  function endAll() {
    answers.clear()
    isEnding = false
  }

  /** A database that cannot say is one in which something may have been written; whoever asks it next is told why. */
  function versionNow() {
    try {
      return readVersion()
    } catch {
      return undefined
    }
  }
}

/** Asks for the whole of something, and sends nothing with it. */
const isPlain = ({ method, headers }: IncomingMessage) =>
  method === 'GET' && !('range' in headers || 'content-length' in headers || 'transfer-encoding' in headers)

/** All that an answer may hang on: who asks, for what, packed how, and under which address they reached us. */
function questionOf({ url, headers, socket }: IncomingMessage) {
  const { host, cookie } = headers
  const plain = `${url}\n${cookie}\n${host}\n${headers['accept-encoding']}\n${headers['x-no-compression']}`
  const [protocol, forwardedHost] = [headers['x-forwarded-proto'], headers['x-forwarded-host']]
  // Whether these are believed hangs on who says them.
  return protocol || forwardedHost ? `${plain}\n${protocol}\n${forwardedHost}\n${socket.remoteAddress}` : plain
}

const listed = (headers: Record<string, number | string | string[] | undefined>) =>
  Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [name, String(value)]))

/** A 304 tells nothing of bytes that it does not bring. */
function withoutContent(headers: string[]) {
  const left: string[] = []
  for (let at = 0; at < headers.length; at += 2) {
    if (!/^content-(?:type|length|encoding)$/.test(headers[at]!)) left.push(headers[at]!, headers[at + 1]!)
  }
  return left
}
