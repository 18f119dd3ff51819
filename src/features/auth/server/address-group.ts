import { isIPv6 } from 'node:net'

/** Who is counted as one: an IPv4 address, or the /64 that an IPv6 customer usually has to themselves. */
export function addressGroup(address: string) {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address.replace(/^::ffff:/, '')
  const [head = '', tail] = address.split('::')
  const groups = head.split(':').filter(Boolean)
  if (tail !== undefined) while (groups.length < 4) groups.push('0')
  return `${groups.slice(0, 4).join(':')}::/64`
}
