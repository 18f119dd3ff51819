import type { LookupAddress } from 'node:dns'
import { lookup as systemLookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import type { buildConnector } from 'undici'
import { isPublicAddress, withoutBrackets } from './web-address.ts'
import { BlockedAddress } from './web-errors.ts'

export type ResolveName = (hostname: string) => Promise<LookupAddress[]>

export const resolveBySystem: ResolveName = (hostname) => systemLookup(hostname, { all: true })

type ConnectOptions = { resolveName: ResolveName; connectMs: number }
type MakeConnector = typeof buildConnector

const commonOptions = ({ connectMs }: ConnectOptions) => ({
  timeout: connectMs,
  // One protocol to reason about: a connection carries one answer at a time.
  allowH2: false,
  // A second address is tried after a second, not after Node's 250 ms, which far-away hosts often need.
  autoSelectFamilyAttemptTimeout: 1000,
})

/** For the hosts of the setting, which may lie inside the network. Connections are not shared with the guarded ones. */
export const connectInside = (makeConnector: MakeConnector, options: ConnectOptions) =>
  makeConnector({ ...commonOptions(options), lookup: toLookup(options.resolveName) })

/**
 * Opens sockets to public addresses only. A literal address is checked as it is; a name is resolved once, all its
 * answers are checked, and the socket goes to exactly those answers; and the far end of the open socket is checked
 * again before a single byte of a request is written. No second look-up exists that could answer differently.
 */
export function guardConnect(makeConnector: MakeConnector, options: ConnectOptions): buildConnector.connector {
  const connectPublicly = makeConnector({ ...commonOptions(options), lookup: toLookup(resolvePublic) })

  async function resolvePublic(hostname: string) {
    const answers = await options.resolveName(hostname)
    const inside = answers.find(({ address }) => !isPublicAddress(address))
    if (inside) throw new BlockedAddress(hostname, inside.address)
    return answers
  }

  return (target, callback) => {
    const host = withoutBrackets(target.hostname)
    if (isIP(host) && !isPublicAddress(host)) return callback(new BlockedAddress(host, host), null)
    connectPublicly(target, (error, socket) => {
      if (error) return callback(error, null)
      const farEnd = socket.remoteAddress ?? 'nowhere'
      if (isPublicAddress(farEnd)) return callback(null, socket)
      socket.destroy()
      callback(new BlockedAddress(host, farEnd), null)
    })
  }
}

function toLookup(resolve: ResolveName): LookupFunction {
  return (hostname, { all }, callback) => {
    resolve(hostname).then(
      (answers) => {
        const [first] = answers
        if (!first) return callback(new Error(`${hostname} has no address`), '')
        if (all) return callback(null, answers)
        callback(null, first.address, first.family)
      },
      (error) => callback(error, ''),
    )
  }
}
