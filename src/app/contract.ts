import { z } from 'zod'
import { route } from '#platform/contract.ts'

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
    events: z.looseObject({ type: z.string() }),
    response: z.never(),
  }),
}
