import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { isPublicAddress } from '#engines/web/web-address.ts'
import type { Config } from '#platform/server/config.ts'

/** Names that nobody on the internet can register and point at this machine. */
const localName =
  /^[^.]+$|\.(localhost|local|lan|home|internal|intranet|private|corp|home\.arpa|fritz\.box|test|example)$/

export const firstAccountRefusal =
  'The first account, the administrator, cannot be created at this address. Open the library at localhost or the IP address of its machine, or set PUBLIC_URL to this address and restart the server.'

/**
 * [Note: The first account is made at home]
 * A website can let its own name point at this machine for a moment (DNS rebinding), and its page is then one of ours. It
 * has nobody's cookie, but a library without accounts would be its own. So a browser on this network that comes by a name
 * of the internet makes no first account, unless a setting says how the library is reached. Over https it came through a
 * proxy or a tunnel: this server does not speak it, and no page can make its browser say that it did.
 */
export function mayBeRebound(
  { headers, hostname, ip }: FastifyRequest,
  { publicUrl, trustProxy }: Pick<Config, 'publicUrl' | 'trustProxy'>,
) {
  if (publicUrl || trustProxy.length > 0) return false
  const { origin } = headers
  if (origin?.startsWith('https://')) return false
  const isBrowser = origin !== undefined || headers['sec-fetch-site'] !== undefined
  return isBrowser && !isPublicAddress(ip) && isInternetName(hostname)
}

function isInternetName(hostname: string) {
  const name = hostname.toLowerCase().replace(/\.$/, '')
  return !isIP(name) && !name.startsWith('[') && !localName.test(name)
}
