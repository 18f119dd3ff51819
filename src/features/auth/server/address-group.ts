import { isIPv6 } from 'node:net'

/** The unit of rate limits: an IPv4 address, or the /64 network that an IPv6 customer usually has. */
export function addressGroup(named: string) {
  if (!named.includes(':')) return named
  const address = withoutPort(named)
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address.replace(/^::ffff:/, '')
  const [head = '', tail] = address.split('::')
  const groups = head.split(':').filter(Boolean)
  if (tail !== undefined) while (groups.length < 4) groups.push('0')
  return `${groups.slice(0, 4).join(':')}::/64`
}

/** Some proxies write a port into X-Forwarded-For: `203.0.113.9:50123`, `[2001:db8::1]:50123`. */
const withoutPort = (named: string) => named.replace(/^([\d.]+):\d+$|^\[([\da-f:.]+)\](?::\d+)?$/i, '$1$2')
