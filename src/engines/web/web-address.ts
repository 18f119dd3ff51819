import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { invalid } from '#platform/errors.ts'
import { maxUrlLength } from '#shared/max-url-length.ts'
import { BlockedAddress, invalidAddress, unreachable } from './web-errors.ts'

export type AddressRules = {
  /**
   * The parsed address, when its form may be fetched; the numbers behind a name are checked at connect time. `opener` is the
   * page or redirect that named the address; without one, the user typed it.
   */
  check(address: string, opener?: URL): URL
  /** Whether the address may lie inside the network, see [Note: Inner hosts are typed]. */
  isInside(url: URL, opener?: URL): boolean
  /** Whether the pair is in the setting. */
  isAllowed(url: { protocol: string; hostname: string; port: string }): boolean
}

/**
 * [Note: Inner hosts are typed]
 * `allowHosts` are `host:port` pairs; everything else must be public and on one of `ports`. A pair is reached only by an
 * address that the user typed, and from that host's own pages: a page of the internet must not choose what the server
 * requests inside the network.
 */
export function createAddressRules({ allowHosts, ports }: { allowHosts: string[]; ports: number[] }): AddressRules {
  const allowed = new Set(allowHosts.map(toPair))
  const isAllowed: AddressRules['isAllowed'] = (url) => allowed.has(`${withoutBrackets(url.hostname)}:${portOf(url)}`)

  const isInside: AddressRules['isInside'] = (url, opener) =>
    isAllowed(url) && (opener === undefined || opener.hostname === url.hostname)

  return {
    isAllowed,
    isInside,
    check(address, opener) {
      // WHATWG parsing writes decimal, octal, hex, short, full-width and dotted-end IPv4 in the usual form, so only
      // the parsed host is ever looked at.
      const url = address.length <= maxUrlLength ? URL.parse(address.trim(), opener?.href) : null
      if (!url || !/^https?:$/.test(url.protocol) || !url.hostname) throw invalidAddress()
      if (url.username || url.password) throw invalid('URLs with a username or password are not accepted.')
      url.hash = ''
      if (isInside(url, opener)) return url
      if (!ports.includes(portOf(url))) throw invalid('Only ports 80 and 443 are accepted.')
      const host = withoutBrackets(url.hostname)
      if (isIP(host) && !isPublicAddress(host)) throw unreachable(new BlockedAddress(host, host))
      return url
    },
  }
}

function portOf({ protocol, port }: { protocol: string; port: string }): number {
  return port ? Number(port) : protocol === 'https:' ? 443 : 80
}

/** The allowed pairs of the page's own host only, since the page's scripts could send the responses to its authors. */
export function ownPair(address: string, allowHosts: string[]): string[] {
  const { isAllowed } = createAddressRules({ allowHosts, ports: [] })
  const url = new URL(address)
  return isAllowed(url) ? [`${url.hostname}:${portOf(url)}`] : []
}

function toPair(entry: string): string {
  const port = /:(\d{1,5})$/.exec(entry)?.[1]
  const url = port && URL.parse(`http://${entry}`)
  if (!url || url.host === '' || url.pathname !== '/') throw new Error(`Expected host:port, received ${entry}`)
  return `${withoutBrackets(url.hostname)}:${Number(port)}`
}

/** Azure's wire server: a public number by its range, yet it answers only inside a machine's own network. */
const azureWireServer = '168.63.129.16'

/**
 * [Note: Public addresses only]
 * Whether an address belongs to the public internet. It is an allow-list: IPv4 outside every special range, and IPv6
 * inside 2000::/3 outside every special range. So loopback, private, link-local, carrier-grade NAT, multicast,
 * documentation and reserved numbers are out, and so is every IPv6 form that carries an IPv4 number inside
 * (::/96, NAT64, 6to4, Teredo), because a gateway would turn it back into one of those.
 *
 * Takes what `URL.hostname` holds or DNS answers: an address in its usual form, or `false` is the answer.
 */
export function isPublicAddress(address: string): boolean {
  const bare = withoutBrackets(address)
  if (!isIP(bare)) return false
  // `process` unwraps ::ffff:a.b.c.d, which is how a dual-stack socket names an IPv4 peer.
  const parsed = ipaddr.process(bare)
  if (parsed.range() !== 'unicast') return false
  if (parsed instanceof ipaddr.IPv4) return parsed.toString() !== azureWireServer
  return isGlobalUnicast(parsed)
}

/** `[::1]` as `::1`: a URL writes IPv6 hosts in brackets, a socket does not. */
export function withoutBrackets(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host
}

/** 2000::/3 is the only range assigned so far; addresses outside it are compatible, local or unknown. */
function isGlobalUnicast(address: ipaddr.IPv6): boolean {
  return (address.parts[0]! & 0xe000) === 0x2000
}
