import type { Config } from '#platform/server/config.ts'

type Settings = Pick<Config, 'role' | 'host' | 'publicUrl'>

/** What the person who started it reads, with an address that answers. */
export function greet({ role, host, publicUrl }: Settings, { port, isNew }: { port: number; isNew: boolean }) {
  const ownUrl = `http://${nameOf(host)}:${port}`
  // Behind a proxy nobody asks a worker: the address that people use is not its own.
  if (role === 'worker') return `Albumen is running as a background worker. Health check: ${ownUrl}/api/health`
  const running = `Albumen is running. Open ${publicUrl ?? ownUrl}`
  return isNew ? `${running} and register. The first account becomes the administrator.` : running
}

/** These are reached by the name that everybody knows; ::1 is not everywhere. */
const local = ['127.0.0.1', '0.0.0.0', '::']

function nameOf(host: string) {
  if (local.includes(host)) return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}
