import { hasAi } from '#features/analysis/server/ai.ts'
import type { User } from '#features/auth/contract.ts'
import { mediaApi } from '#features/media/contract.ts'
import { handle } from '#platform/server/http/handle.ts'
import type { Scope } from '#platform/server/http/scope.ts'
import type { Services } from '../services.ts'

/** The client offers only actions whose service is configured. */
export function configuredServiceRoutes(scope: Scope<User>, { ai, imageKit }: Pick<Services, 'ai' | 'imageKit'>) {
  handle(scope, mediaApi.services, async () => {
    await ai.hub.refresh()
    const hasBackgroundRemoval = await ai.canFindSubjects()
    return { hasAi: hasAi(ai), hasBackgroundRemoval, hasImageKit: imageKit !== undefined }
  })
}
