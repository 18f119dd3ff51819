import type { Writable } from 'node:stream'
import type { buildConnector } from 'undici'
import { limitConcurrencyPerKey } from '#shared/concurrency.ts'
import { lazy } from '#shared/lazy.ts'
import { connectInside, guardConnect, type ResolveName, resolveBySystem } from './guarded-connect.ts'
import {
  acceptedEncodings,
  type FetchedPage,
  type FetchedPart,
  type Peeked,
  peekAnswer,
  readPage,
  readPart,
  saveFile,
} from './read-body.ts'
import { createVisit } from './visit.ts'
import { createAddressRules } from './web-address.ts'
import { defaultLimits, type WebLimits } from './web-limits.ts'

/** The page that named the address; without it, the user typed it. See [Note: Inner hosts are typed]. */
type Named = { foundOn?: string }

/** All requests to URLs that users give go through this interface. */
export type PublicWeb = {
  /** False for a host inside the network that is not the page's own. */
  mayRequest(address: string, foundOn: string): boolean
  fetchPage(address: string, options?: { signal?: AbortSignal }): Promise<FetchedPage>
  /** A path must not exist yet, and no longer exists after a failure. */
  fetchFile(
    address: string,
    options: Named & { destination: Writable | string; maxBytes?: number; timeMs?: number; signal?: AbortSignal },
  ): Promise<void>
  /** The first bytes of a file and, if the server sends it, its size. */
  peek(address: string, options: Named & { bytes: number; signal?: AbortSignal }): Promise<Peeked>
  /** A script, stylesheet or request of a page that is being rendered; a response of any status is returned. */
  fetchPart(address: string, options: Named & { maxBytes: number; signal?: AbortSignal }): Promise<FetchedPart>
  close(): Promise<void>
}

export type PublicWebOptions = {
  /** `host:port` pairs that may lie inside the network, on any port; see [Note: Inner hosts are typed]. */
  allowHosts?: string[]
  ports?: number[]
  limits?: Partial<WebLimits>
  resolveName?: ResolveName
  /** Opens the sockets; a test may put a treacherous one here. */
  makeConnector?: typeof buildConnector
}

const userAgent = 'Albumen (self-hosted media library)'

export function createPublicWeb(options: PublicWebOptions = {}): PublicWeb {
  const { allowHosts = [], ports = [80, 443], resolveName = resolveBySystem, makeConnector } = options
  const limits = { ...defaultLimits, ...options.limits }
  const rules = createAddressRules({ allowHosts, ports })
  // The HTTP client is loaded at the first request, which saves a twentieth of the start-up time.
  const agentBy = (connectBy: typeof guardConnect) =>
    lazy(async () => {
      const { Agent, buildConnector } = await import('undici')
      const connect = connectBy(makeConnector ?? buildConnector, { resolveName, connectMs: limits.connectMs })
      return new Agent({ connect, allowH2: false, maxHeaderSize: 64 * 1024 })
    })
  const agents = { outside: agentBy(guardConnect), inside: agentBy(connectInside) }
  const visit = createVisit({
    openDispatcher: (isInside) => (isInside ? agents.inside : agents.outside).get(),
    rules,
    slots: limitConcurrencyPerKey(limits.perHost),
    limits,
  })

  const forPages = {
    'user-agent': userAgent,
    accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.5',
    'accept-encoding': acceptedEncodings,
  }
  const forParts = { ...forPages, accept: '*/*' }
  const forFiles = {
    'user-agent': userAgent,
    // Sites that choose a format by this header must not choose one that the library cannot take.
    accept: 'image/jpeg,image/png,image/webp,image/gif,video/mp4,image/*;q=0.5,video/*;q=0.5,*/*;q=0.3',
    'accept-encoding': 'identity',
  }

  return {
    mayRequest(address, foundOn) {
      const url = URL.parse(address)
      return !url || !rules.isAllowed(url) || rules.isInside(url, URL.parse(foundOn) ?? undefined)
    },
    fetchPage: (address, { signal } = {}) =>
      visit(address, { headers: forPages, timeMs: limits.pageMs, signal }, (answer) => readPage(answer, limits)),
    fetchFile: (address, { destination, maxBytes = limits.fileBytes, timeMs = limits.fileMs, signal, foundOn }) =>
      visit(address, { headers: forFiles, timeMs, signal, foundOn }, (answer) =>
        saveFile(answer, destination, { ...limits, fileBytes: Math.min(maxBytes, limits.fileBytes) }),
      ),
    peek: (address, { bytes, signal, foundOn }) =>
      visit(
        address,
        { headers: { ...forFiles, range: `bytes=0-${bytes - 1}` }, timeMs: limits.peekMs, signal, foundOn },
        (answer) => peekAnswer(answer, bytes),
      ),
    fetchPart: (address, { maxBytes, foundOn, signal }) =>
      visit(address, { headers: forParts, timeMs: limits.partMs, foundOn, signal }, (answer) =>
        readPart(answer, maxBytes),
      ),
    async close() {
      const closing = Object.values(agents).map((agent) => agent.close((opened) => opened.destroy()))
      await Promise.all(closing)
    },
  }
}
