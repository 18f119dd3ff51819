import type { Ai } from '#features/analysis/server/ai.ts'
import type { User } from '#features/auth/contract.ts'
import type { Database } from '#platform/server/db/database.ts'
import type { Events } from '#platform/server/events/events.ts'
import { handle } from '#platform/server/http/handle.ts'
import type { Scope } from '#platform/server/http/scope.ts'
import type { Jobs } from '#platform/server/jobs/jobs.ts'
import { tagsApi } from '../contract.ts'
import { createTagPairs, dismissPair } from './tag-pairs.ts'
import { changeTag, countTagsOf, describeTag, listLibraryTags, mergeTags, removeTag } from './tags.ts'

type Services = Pick<Database, 'db' | 'slowReads'> & { events: Events; jobs: Jobs; ai: Ai }

export function tagRoutes(scope: Scope<User>, services: Services) {
  const { db, slowReads } = services
  const findPairs = createTagPairs(services)

  handle(scope, tagsApi.list, ({ query }, { user }) => listLibraryTags(db, user.id, query))
  handle(scope, tagsApi.suggestions, (_input, { user }) => findPairs(user.id))
  handle(scope, tagsApi.dismiss, async ({ body }, { user }) => {
    await dismissPair(db, user.id, body.tags)
    return { message: 'These tags are no longer suggested for merging.' }
  })
  handle(scope, tagsApi.merge, ({ body }, { user }) => mergeTags(services, user.id, body))
  handle(scope, tagsApi.get, ({ params }, { user }) => describeTag(db, user.id, params.tag))
  handle(scope, tagsApi.change, ({ params, body }, { user }) => changeTag(services, user.id, params.tag, body))
  handle(scope, tagsApi.remove, ({ params, query }, { user }) => removeTag(services, user.id, params.tag, query))
  handle(scope, tagsApi.ofSelection, ({ body }, { user }) => countTagsOf(slowReads, user.id, body.mediaIds))
}
