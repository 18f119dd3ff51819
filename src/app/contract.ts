import { z } from 'zod'
import { route } from '#platform/contract.ts'
import { RunProgress } from '#platform/runs.ts'

/** Each says what changed, and not into what: a page asks for what it shows. */
const LiveEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('media'), ids: z.array(z.number()) }),
  z.object({ type: z.literal('collections') }),
  z
    .object({ type: z.literal('playback'), id: z.number(), fraction: z.number() })
    .describe('Video processing progress, from 0 to 1'),
  RunProgress.extend({ type: z.literal('run') }),
  z.object({ type: z.literal('reset') }).describe('Events were missed; reload everything'),
])
export type LiveEvent = z.infer<typeof LiveEvent>

export const appApi = {
  health: route({
    method: 'GET',
    path: '/api/health',
    summary: 'Check that the database and storage are reachable',
    response: z.object({ status: z.literal('ok'), version: z.string() }),
  }),
  events: route({
    method: 'GET',
    path: '/api/events',
    summary: 'Stream live changes (server-sent events)',
    query: z.object({
      since: z.string().max(100).optional().describe('Id of an event; what happened after it is sent first'),
    }),
    events: LiveEvent,
    response: z.never(),
  }),
}
