import { draftLanguages } from '#engines/ai/local/drafts.ts'
import { hasAi } from '#features/analysis/server/ai.ts'
import type { User } from '#features/auth/contract.ts'
import { mediaApi } from '#features/media/contract.ts'
import { handle } from '#platform/server/http/handle.ts'
import type { Scope } from '#platform/server/http/scope.ts'
import type { Services } from '../services.ts'

/** The client offers only actions whose service is configured. */
export function configuredServiceRoutes(
  scope: Scope<User>,
  { ai, imageKit, config }: Pick<Services, 'ai' | 'imageKit' | 'config'>,
) {
  handle(scope, mediaApi.services, async () => {
    await ai.hub.refresh()
    const hasBackgroundRemoval = await ai.canFindSubjects()
    return {
      hasAi: hasAi(ai),
      hasBackgroundRemoval,
      hasImageKit: imageKit !== undefined,
      aiLanguage: config.ai.language,
      writtenLanguages: ai.endpoint ? null : [...draftLanguages],
    }
  })
}
