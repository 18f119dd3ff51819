import { ConfigError } from '#platform/server/config.ts'
import { NewerDatabaseError } from '#platform/server/db/migrate.ts'
import { ForeignStorageError } from './storage-marker.ts'

const expected = [ConfigError, NewerDatabaseError, ForeignStorageError]

/** Why the start stopped: one line where a setting is to blame, the whole trace where we are. */
export function explainStartFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (expected.some((type) => error instanceof type)) return error.message
  const { code, syscall, message } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE') return `PORT is in use by another program (${message})`
  if (syscall === 'listen' || syscall === 'getaddrinfo') return `HOST and PORT cannot be listened on (${message})`
  if (syscall === 'mkdir') return `DATA_DIR cannot be written to (${message})`
  return error.stack ?? message
}
