import { sql } from 'kysely'
import { unavailable } from '#platform/errors.ts'
import { handle } from '#platform/server/http/handle.ts'
import type { Scope } from '#platform/server/http/scope.ts'
import { version } from '#shared/version.ts'
import { appApi } from '../../contract.ts'
import type { Services } from '../services.ts'

export function healthRoutes(scope: Scope<null>, { db, log }: Pick<Services, 'db' | 'log'>) {
  handle(scope, appApi.health, async () => {
    try {
      await sql`SELECT 1`.execute(db)
    } catch (error) {
      log.warn({ err: error }, 'health check failed')
      throw unavailable('The database cannot be reached.')
    }
    return { status: 'ok' as const, version }
  })
}
