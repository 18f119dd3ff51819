import { sql } from 'kysely'
import { unavailable } from '#platform/errors.ts'
import { handle } from '#platform/server/http/handle.ts'
import type { Scope } from '#platform/server/http/scope.ts'
import { version } from '#shared/version.ts'
import { appApi } from '../../contract.ts'
import type { Services } from '../services.ts'

export function healthRoutes(scope: Scope<null>, { db, storage, log }: Pick<Services, 'db' | 'storage' | 'log'>) {
  handle(scope, appApi.health, async () => {
    await reached('The database', () => sql`SELECT 1`.execute(db))
    await reached('The storage', () => storage.check())
    return { status: 'ok' as const, version }
  })

  async function reached(what: string, check: () => Promise<unknown>) {
    try {
      await check()
    } catch (error) {
      log.warn({ err: error }, 'health check failed')
      throw unavailable(`${what} cannot be reached.`)
    }
  }
}
