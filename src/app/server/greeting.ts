import type { Config } from '#platform/server/config.ts'

type Settings = Pick<Config, 'role' | 'host' | 'publicUrl'>

/** The startup message, with a URL that works. */
export function greet({ role, host, publicUrl }: Settings, { port, isNew }: { port: number; isNew: boolean }) {
  const ownUrl = `http://${nameOf(host)}:${port}`
  // The public URL leads to the web processes, not to a worker.
  if (role === 'worker') return `Albumen is running as a background worker. Health check: ${ownUrl}/api/health`
  const running = `Albumen is running. Open ${publicUrl ?? ownUrl}`
  return isNew ? `${running} and register. The first account becomes the administrator.` : running
}

/** Hosts that are reachable as localhost. ::1 is missing because localhost does not lead to it on every machine. */
const reachableAsLocalhost = ['127.0.0.1', '0.0.0.0', '::']

function nameOf(host: string) {
  if (reachableAsLocalhost.includes(host)) return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}
