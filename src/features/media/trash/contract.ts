import { z } from 'zod'
import { route } from '#platform/contract.ts'
import { Id } from '../contract.ts'

const ChosenItems = z.object({
  mediaIds: z.array(Id).min(1, 'Please choose at least one item.').max(10_000, 'At most 10,000 items at once.'),
})
const OutcomeOfMany = z.object({
  summary: z.object({ successful: z.number(), failed: z.number() }),
  errors: z.array(z.object({ id: z.number(), message: z.string() })),
})

export const trashApi = {
  trash: route({
    method: 'POST',
    path: '/api/media/bulk-trash',
    summary: 'Move items to the trash',
    body: ChosenItems,
    response: OutcomeOfMany,
  }),
  restore: route({
    method: 'POST',
    path: '/api/media/bulk-restore',
    summary: 'Take items out of the trash',
    body: ChosenItems,
    response: OutcomeOfMany,
  }),
  emptyTrash: route({
    method: 'DELETE',
    path: '/api/trash',
    summary: 'Delete everything in the trash for good',
    response: z.object({ deleted: z.number() }),
  }),
}
