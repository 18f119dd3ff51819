import { type AppError, withCause } from '#platform/errors.ts'
import { cleanText } from '../clean-text.ts'
import { aiError } from '../errors.ts'

export type Reply = { status: number; body: string; retryAfterSeconds?: number }

const noVision = /image|vision|multimodal|modalit/i
/** Words about pictures that no name of a model holds. */
const noImageInput = /image input|support.{0,20}\bimages?\b|mmproj/i
const oneImageOnly = /single image|at most \d+ image/i
const noRoom = /context.{0,20}(length|window|size)|too many tokens|too large/i
const noModel = /(model|deployment).{0,80}(not|unknown|exist|found|invalid|decommissioned|deprecated)/i
const noWayToAsk = /response_format|json[ _]?schema|grammar/i
/** The filters before a model, in the words of Azure, OpenAI and OpenRouter. */
const notAllowed = /content_filter|content_policy|content management policy|safety system|moderation|flagged/i

/** llama.cpp and Ollama answer 500 to what they will never do: asking again would not help. */
export const isLasting = ({ status, body }: Reply) =>
  (status === 500 && [noImageInput, oneImageOnly, noRoom, noWayToAsk].some((words) => words.test(body))) ||
  (status === 429 && body.includes('insufficient_quota'))

export const refused = () => aiError('refused', 'The model refused to describe this image.')

/** The endpoint's own words are for the log, and for the administrator who tries it. */
export function explain({ status, body }: Reply, model: string): AppError {
  if ((status === 400 || status === 403) && notAllowed.test(body)) return refused()
  if (status === 401 || status === 403) return aiError('auth', 'The AI endpoint refused the key. Check AI_API_KEY.')
  if (status === 402 || status === 429) {
    return aiError('auth', 'The account at the AI endpoint has no credit left. Add some with its provider.')
  }
  if (status === 413 || noRoom.test(body)) {
    const sentence = 'The image is too large for the model. Give the model a longer context, or choose another one.'
    return aiError('too-large', sentence)
  }
  // The model's name is removed first, since an unknown model may be called "llama-vision".
  if (noImageInput.test(body) || (status !== 404 && noVision.test(body.replaceAll(model, '')))) {
    return aiError('no-vision', `The model "${model}" cannot see images. Choose one with vision in AI_MODEL.`)
  }
  if (noModel.test(body)) {
    return aiError('model', `The AI endpoint does not know the model "${model}". Check AI_MODEL and AI_BASE_URL.`)
  }
  if (status === 404 || status === 405) {
    return aiError('model', 'The AI endpoint was not found. Check AI_BASE_URL, which usually ends with /v1.')
  }
  // Other server errors, such as a gateway without its backend, are temporary.
  if (status >= 500) return aiError('server', `The AI endpoint answered with an error (${status}).`)
  const sentence = `The AI endpoint refused the request (${status}). The server’s log tells why.`
  return withCause(aiError('invalid-output', sentence), cleanText(body, 500) || undefined)
}

/** The reason for a failed connection, by the error code, as something that an administrator can check. */
export function explainConnectionError(cause: unknown): AppError {
  const { code = '' } = (cause ?? {}) as NodeJS.ErrnoException
  const reason = connectionErrors.find(([pattern]) => pattern.test(code))?.[1]
  const sentence = reason ? `: ${reason}` : '. Check AI_BASE_URL and the connection.'
  return withCause(aiError('network', `The AI endpoint could not be reached${sentence}`), cause)
}

const connectionErrors: [code: RegExp, reason: string][] = [
  [/^ECONNREFUSED$/, 'nothing listens at AI_BASE_URL. In a container, localhost is the container itself.'],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'the name in AI_BASE_URL is not known to this machine.'],
  [/^(EPROTO|ERR_SSL_.*)$/, 'the server at AI_BASE_URL does not use https. Its address may begin with http://.'],
  [
    /CERT|^(UNABLE_TO|INVALID_|HOSTNAME_)/,
    'its certificate is not trusted. Set NODE_EXTRA_CA_CERTS to a file with your own certificate.',
  ],
]
