import { z } from 'zod'
import { AiRun } from '#features/analysis/contract.ts'
import { route } from '#platform/contract.ts'

/** Each says what changed, and not into what: a page asks for what it shows. */
const LiveEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('media'), ids: z.array(z.number()) }),
  z.object({ type: z.literal('collections') }),
  z
    .object({ type: z.literal('playback'), id: z.number(), fraction: z.number() })
    .describe('How much of a video is made playable, from 0 to 1'),
  z.object({ type: z.literal('bulk'), runId: z.string(), done: z.number(), total: z.number() }),
  z.object({ type: z.literal('bulk-ended'), runId: z.string() }),
  AiRun.extend({ type: z.literal('ai-run') }),
  z.object({ type: z.literal('scrape'), runId: z.number() }),
  z
    .object({ type: z.literal('reset') })
    .describe('Anything may have changed: the server cannot say what, or what was missed'),
])
export type LiveEvent = z.infer<typeof LiveEvent>

export const appApi = {
  health: route({
    method: 'GET',
    path: '/api/health',
    summary: 'Whether this process can reach its database and storage',
    response: z.object({ status: z.literal('ok'), version: z.string() }),
  }),
  events: route({
    method: 'GET',
    path: '/api/events',
    summary: 'What changes, as it happens (server-sent events)',
    events: LiveEvent,
    response: z.never(),
  }),
}
