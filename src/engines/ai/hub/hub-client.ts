import type { Readable } from 'node:stream'
import { AppError, withCause } from '#platform/errors.ts'
import { lazy } from '#shared/lazy.ts'
import { guardConnect, resolveBySystem } from '../../web/guarded-connect.ts'

export type HubClient = {
  /** `isRest`: the body begins at `from`; otherwise the hub sends the whole file again. */
  open(path: string, options: { from: number; signal?: AbortSignal }): Promise<{ body: Readable; isRest: boolean }>
  brokenOff(path: string): AppError
  close(): Promise<void>
}

const connectMs = 10_000
const answerMs = 60_000
const silenceMs = 60_000
const mostRedirects = 5
const redirects = new Set([301, 302, 303, 307, 308])

/**
 * [Note: The hub's address is the administrator's]
 * The hub may lie inside the network, as a mirror does. It sends large files by redirects to other hosts, which must be
 * public and are asked without any of the administrator's address. No redirect leads from https to http.
 */
export function createHubClient(hubUrl: string): HubClient {
  const root = new URL(hubUrl.endsWith('/') ? hubUrl : `${hubUrl}/`)
  const client = lazy(async () => {
    const { Agent, buildConnector, request } = await import('undici')
    const limits = { headersTimeout: answerMs, bodyTimeout: silenceMs, connections: 2 }
    const guarded = guardConnect(buildConnector, { resolveName: resolveBySystem, connectMs })
    return {
      request,
      own: new Agent({ ...limits, connect: { timeout: connectMs } }),
      others: new Agent({ ...limits, connect: guarded }),
    }
  })

  async function ask(url: URL, from: number, signal?: AbortSignal) {
    const { request, own, others } = await client.get()
    try {
      return await request(url, {
        dispatcher: url.origin === root.origin ? own : others,
        headers: { 'accept-encoding': 'identity', ...(from > 0 ? { range: `bytes=${from}-` } : {}) },
        signal,
      })
    } catch (error) {
      signal?.throwIfAborted()
      throw withCause(unreachable(url), error)
    }
  }

  return {
    async open(path, { from, signal }) {
      let url = new URL(path, root)
      for (let hops = 0; hops <= mostRedirects; hops++) {
        const { statusCode, headers, body } = await ask(url, from, signal)
        if (statusCode === 200) return { body, isRest: false }
        if (statusCode === 206 && startOf(headers['content-range']) === from) return { body, isRest: true }
        await body.dump()
        const next = redirects.has(statusCode) ? URL.parse(String(headers.location), url) : undefined
        if (!next) throw refused(url, path, statusCode)
        if (next.protocol !== 'https:' && next.protocol !== url.protocol) throw refused(url, path, statusCode)
        url = next
      }
      throw refused(url, path, 310)
    },
    brokenOff: (path) =>
      new AppError('hub-unreachable', 503, `The download of ${path} from ${root.host} broke off.`, {
        isRetryable: true,
      }),
    close: () =>
      client.close(async ({ own, others }) => {
        await Promise.all([own.destroy(), others.destroy()])
      }),
  }
}

const startOf = (range: string | string[] | undefined) => Number(/^bytes (\d+)-/.exec(String(range))?.[1])

const unreachable = ({ host }: URL) =>
  new AppError(
    'hub-unreachable',
    503,
    `${host} could not be reached. Check AI_HUB_URL and the network of the server.`,
    {
      isRetryable: true,
    },
  )

function refused({ host }: URL, path: string, status: number): AppError {
  if (status >= 500 || status === 429) {
    const sentence = `${host} answered with an error (status ${status}). Try again later.`
    return new AppError('hub-unreachable', 503, sentence, { isRetryable: true })
  }
  const file = path.split('/').slice(4).join('/')
  return new AppError('hub-file-missing', 502, `${host} does not offer ${file} (status ${status}). Check AI_HUB_URL.`)
}
