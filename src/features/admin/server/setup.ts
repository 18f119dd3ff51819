import { stat } from 'node:fs/promises'
import type { Config } from '#platform/server/config.ts'
import type { Health, SetupCheck } from '../contract.ts'

type Asked = { config: Pick<Config, 'backupDir' | 'dataDir' | 's3' | 'host'>; ai?: Health; origin: string }

/** What an administrator should look at once, before others rely on this server. */
export async function checkSetup({ config, ai, origin }: Asked): Promise<SetupCheck[]> {
  return [await checkBackups(config), checkAi(ai), checkHttps(config.host, new URL(origin))]
}

async function checkBackups({ backupDir, dataDir, s3 }: Asked['config']): Promise<SetupCheck> {
  const name = 'Backups'
  const devices = await Promise.all([backupDir, s3 ? undefined : dataDir].map(deviceOf))
  if (devices[0] === undefined) return { name, isDone: false, message: `The folder ${backupDir} cannot be read.` }
  if (devices[0] !== devices[1]) return { name, isDone: true, message: 'Stored on another disk than the library.' }
  return {
    name,
    isDone: false,
    message: 'Backups are on the same disk as the library. Set BACKUP_DIR to a folder on another disk.',
  }
}

/** Undefined for a folder that cannot be read, and for a library in a bucket. */
const deviceOf = (folder: string | undefined) =>
  folder === undefined
    ? undefined
    : stat(folder).then(
        ({ dev }) => dev,
        () => undefined,
      )

function checkAi(health: Health | undefined): SetupCheck {
  const isDone = health?.status === 'ok' || health?.status === 'unknown'
  const off = 'AI is off. Set AI_LOCAL=1, or AI_BASE_URL and AI_MODEL.'
  return { name: 'AI', isDone, message: isDone || health?.status === 'down' ? health.message : off }
}

const loopback = ['localhost', '127.0.0.1', '[::1]', '::1']

function checkHttps(host: string, { protocol, hostname }: URL): SetupCheck {
  const name = 'HTTPS'
  if (protocol === 'https:') return { name, isDone: true, message: 'Connections are encrypted.' }
  if (loopback.includes(host) && loopback.includes(hostname))
    return { name, isDone: true, message: 'Not needed while only this machine can connect.' }
  return {
    name,
    isDone: false,
    message:
      'Passwords and files are sent unencrypted. Use a proxy with a certificate, and set PUBLIC_URL to its https:// address.',
  }
}
