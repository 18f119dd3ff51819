import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

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

/** 2000::/3, all that has been given out so far; whatever lies outside is compatible, local or unknown. */
function isGlobalUnicast(address: ipaddr.IPv6): boolean {
  return (address.parts[0]! & 0xe000) === 0x2000
}
