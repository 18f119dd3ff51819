import { type Ai, hasAi } from '#features/analysis/server/ai.ts'
import type { User } from '#features/auth/contract.ts'
import type { IngestServices } from '#features/upload/server/ingest.ts'
import { handle } from '#platform/server/http/handle.ts'
import type { Scope } from '#platform/server/http/scope.ts'
import { firstStepsApi } from '../contract.ts'
import { addSamples, countSamples, removeSamples } from './sample-pictures.ts'

export function firstStepsRoutes(scope: Scope<User>, services: IngestServices & { ai: Ai }) {
  handle(scope, firstStepsApi.countSamples, (_input, { user }) => countSamples(services.db, user.id))
  handle(scope, firstStepsApi.addSamples, (_input, { user }) => addSamples(services, user.id, hasAi(services.ai)))
  handle(scope, firstStepsApi.removeSamples, (_input, { user }) => removeSamples(services, user.id))
}
